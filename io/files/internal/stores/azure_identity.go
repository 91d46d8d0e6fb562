package stores

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
)

// identity provides tokens for the identity of this process. If a request gets no response, its
// library keeps only the text of the error, which does not show whether a retry may succeed.
// identity adds the error itself.
type identity struct {
	azcore.TokenCredential
	requests *remembering
}

// newIdentity leaves it to the library which failures to retry.
func newIdentity(like policy.ClientOptions) (azcore.TokenCredential, error) {
	requests := &remembering{Transporter: like.Transport}
	credential, err := azidentity.NewDefaultAzureCredential(&azidentity.DefaultAzureCredentialOptions{ClientOptions: policy.ClientOptions{
		Transport: requests,
		Retry:     policy.RetryOptions{MaxRetries: like.Retry.MaxRetries, RetryDelay: like.Retry.RetryDelay, MaxRetryDelay: like.Retry.MaxRetryDelay},
	}})
	return identity{credential, requests}, err
}

func (i identity) GetToken(ctx context.Context, options policy.TokenRequestOptions) (azcore.AccessToken, error) {
	token, err := i.TokenCredential.GetToken(ctx, options)
	var failed *azidentity.AuthenticationFailedError // as opposed to a machine that has no identity
	switch {
	case err == nil:
		return token, nil
	case !errors.As(err, &failed):
		return token, brief{strings.Join(strings.Fields(err.Error()), " "), err} // the original has many lines
	case failed.RawResponse == nil:
		return token, oneLine(errors.Join(err, i.requests.last()))
	}
	var content struct {
		Error       string
		Description string `json:"error_description"`
	}
	if body, err := runtime.Payload(failed.RawResponse); err == nil {
		_ = json.Unmarshal(body, &content)
	}
	return token, answered(err, failed.RawResponse.StatusCode, content.Error, content.Description)
}

// remembering is a transport that remembers why the last request got no response.
type remembering struct {
	policy.Transporter
	unanswered atomic.Pointer[error]
}

func (r *remembering) Do(request *http.Request) (*http.Response, error) {
	answer, err := r.Transporter.Do(request)
	r.unanswered.Store(&err)
	return answer, err
}

func (r *remembering) last() error {
	if err := r.unanswered.Load(); err != nil {
		return *err
	}
	return nil
}
