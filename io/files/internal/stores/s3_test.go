package stores

import (
	"errors"
	"net"
	"net/http"
	"syscall"
	"testing"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/require"
)

// TestS3CredentialFaults: the service that provides credentials may be overloaded, or may not
// exist.
func TestS3CredentialFaults(t *testing.T) {
	answer := func(status int) error {
		response := &smithyhttp.Response{Response: &http.Response{StatusCode: status, Header: http.Header{}}}
		return &awshttp.ResponseError{ResponseError: &smithyhttp.ResponseError{Response: response, Err: &smithy.GenericAPIError{Code: "x", Message: "y"}}}
	}
	silent := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for _, test := range []struct {
		service   string
		err       error
		temporary bool
		message   string
	}{
		{"STS", answer(503), true, "cannot use S3: status 503 x: y; to authenticate, set AWS_ACCESS_KEY_ID"},
		{"STS", answer(403), false, "cannot use S3: status 403 x: y; to authenticate"},
		{"STS", silent, true, "connection refused"},
		{"ec2imds", silent, false, "connection refused"},
	} {
		err := withoutCredentials(&smithy.OperationError{ServiceID: test.service, Err: test.err})
		require.ErrorContains(t, err, test.message)
		var temporary Temporary
		require.Equal(t, test.temporary, errors.As(err, &temporary), "%v", err)
	}
}
