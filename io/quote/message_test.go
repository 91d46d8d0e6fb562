package quote

import (
	"strconv"
	"strings"
	"testing"
	"testing/quick"

	"github.com/stretchr/testify/require"
)

func TestMessage(t *testing.T) {
	long := strings.Repeat("so long ", 1000)
	word := strings.Repeat("x", 1000)
	short := strings.Repeat("x", kept) + "… (1000 bytes)"
	for from, want := range map[string]string{
		"":                   "",
		"a.csv: " + word:     "a.csv: " + short,
		word + ": not found": strings.Repeat("x", kept) + "… (1000 bytes): not found",
		strconv.Quote(long):  Value(long),
		"column " + strconv.Quote(long+"\"\n\xff") + ": wrong; set " + strconv.Quote(long): "column " + Value(long+"\"\n\xff") + ": wrong; set " + Value(long),
		`open "` + word:            `open "` + strings.Repeat("x", kept-1) + "… (1001 bytes)",
		strings.Repeat("a ", 1000): strings.Repeat("a ", 1000),
		"in\n" + word + "\n":       "in\n" + short + "\n",
	} {
		require.Equal(t, want, Message(from))
	}
	require.NoError(t, quick.Check(func(s string) bool { return Message(s) == s }, nil), "what is short stays")
}

func TestMessageMasksBeforeItCuts(t *testing.T) {
	token := strings.Repeat("token", 200)
	t.Setenv("AWS_SESSION_TOKEN", token)
	require.Equal(t, "get https://host/?a=***: forbidden", Message("get https://host/?a="+token+": forbidden"))
}

// No message can be made to take a minute to shorten.
func TestMessageOfQuotationMarks(t *testing.T) {
	for _, s := range []string{`"`, `\"`, `"\z`, `" "`, "\x80"} {
		require.LessOrEqual(t, len(Message(strings.Repeat(s, 1<<20))), 4<<20)
	}
}
