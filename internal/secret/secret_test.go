package secret

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMask(t *testing.T) {
	for _, name := range variables {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", "abc/def+ghi=")
	t.Setenv("AZURE_STORAGE_KEY", "test") // of an emulator
	t.Setenv("AZURE_STORAGE_SAS_TOKEN", "?sv=2026&x=y")
	for text, want := range map[string]string{
		"":                                     "",
		"as a test":                            "as a test",
		"abc/def+ghi= and abc%2Fdef%2Bghi%3D":  "*** and ***",
		"https://host/x?sv=2026&x=y":           "https://host/x***",
		"az://c/x.parquet?sv=1&sig=a%2Fb&se=2": "az://c/x.parquet?sv=1&sig=***&se=2",
		"sig=a;b":                              "sig=***;b",
		`"sig=a"`:                              `"sig=***"`,
		"x?X-Amz-Signature=00ff&X-Amz-Credential=a/b/c": "x?X-Amz-Signature=***&X-Amz-Credential=***",
		"x?X-Goog-Signature=00ff":                       "x?X-Goog-Signature=***",
		"AccountName=a;AccountKey=b==;BlobEndpoint=c":   "AccountName=a;AccountKey=***;BlobEndpoint=c",
		"AWS_SECRET_ACCESS_KEY=a: x":                    "AWS_SECRET_ACCESS_KEY=*** x",
		"AWS4-HMAC-SHA256 Credential=a, Signature=00ff": "AWS4-HMAC-SHA256 Credential=a, Signature=***",
		"Authorization: Bearer ya29.a0AfH6SMBxxxxxxxx":  "Authorization: Bearer ***",
		// What only looks like one.
		"preds/sig=a/x.parquet": "preds/sig=a/x.parquet",
		"design=a":              "design=a",
		"the bearer of news":    "the bearer of news",
		"accuracy{country=de}":  "accuracy{country=de}",
	} {
		require.Equal(t, want, Mask(text), text)
	}
}
