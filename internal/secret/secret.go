// Package secret keeps secrets out of messages, logs and reports: tokens in pasted addresses, and
// credentials from the environment.
package secret

import (
	"net/url"
	"os"
	"regexp"
	"strings"
)

// Hidden stands for a secret.
const Hidden = "***"

// variables are the environment variables whose values are secrets.
var variables = []string{
	"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
	"AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_CONNECTION_STRING", "AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PASSWORD",
}

// shortest is the length of the shortest value that is treated as a secret. Shorter values, as in
// tests and emulators, may be part of any word.
const shortest = 8

var (
	// parameters matches parts of addresses, and of connection strings and headers, that
	// authenticate.
	parameters = regexp.MustCompile(`(?i)(^|[^a-z0-9/])(sig|signature|x-(?:amz|goog)-(?:signature|credential|security-token)|accountkey|sharedaccesssignature|` +
		`aws_secret_access_key|aws_session_token|azure_storage_key|azure_client_secret|client_secret|(?:access|refresh|id)_token)(=)[^&;,\s"'<>]+`)
	bearer = regexp.MustCompile(`(?i)\b(bearer) [\w.~+/=-]{16,}`)
)

// Mask returns a text in which *** replaces each secret.
func Mask(text string) string {
	for _, name := range variables {
		value := os.Getenv(name)
		if len(value) < shortest {
			continue
		}
		for _, written := range []string{value, strings.TrimPrefix(value, "?"), url.QueryEscape(value)} {
			text = strings.ReplaceAll(text, written, Hidden)
		}
	}
	if strings.Contains(text, "=") {
		text = parameters.ReplaceAllString(text, "$1$2$3"+Hidden)
	}
	return bearer.ReplaceAllString(text, "$1 "+Hidden)
}
