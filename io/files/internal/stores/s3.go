package stores

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/logging"
)

// ConnectS3 configures a client like AWS tools: from the environment, the shared configuration
// files, and the role of the machine.
func ConnectS3(ctx context.Context) (Store, error) {
	cfg, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{}), config.WithRetryer(func() aws.Retryer {
		return retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts, o.MaxBackoff = maxAttempts, maxPause
			o.RateLimiter = ratelimit.None // parallel requests would use up each other's retries
			o.Retryables = append(o.Retryables,
				retry.RetryableErrorCode{Codes: map[string]struct{}{"ConditionalRequestConflict": {}}},
				retry.RetryableHTTPStatusCode{Codes: map[int]struct{}{http.StatusTooManyRequests: {}}})
		})
	}))
	if err == nil && cfg.Region == "" {
		return nil, errors.New("cannot use S3: there is no region; set AWS_REGION to that of the bucket (to us-east-1 if your store has no regions)")
	}
	if err == nil && cfg.Credentials != nil {
		_, err = cfg.Credentials.Retrieve(ctx)
	}
	if err != nil {
		return nil, withoutCredentials(err)
	}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		// Compatible stores do not have a host name for each bucket, and some reject the checksums
		// that AWS accepts next to the signed hash. Ranges have no checksums.
		o.UsePathStyle = o.BaseEndpoint != nil
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		if buildable, ok := o.HTTPClient.(*awshttp.BuildableClient); ok {
			o.HTTPClient = guarded(*buildable.Freeze().(*http.Client))
		}
	})
	return Amazon{client}, nil
}

// withoutCredentials returns the error for missing credentials. A failure of the machine's metadata
// service is permanent: a machine outside AWS has none, so a retry does not help.
func withoutCredentials(err error) error {
	failed := fmt.Errorf("cannot use S3: %w; %s", Amazon{}.Brief(err), authenticateS3)
	var operation *smithy.OperationError
	ofMachine := errors.As(err, &operation) && operation.Service() == "ec2imds"
	if what, _ := (Amazon{}).Explain(Object{}, err); what == Unavailable && !ofMachine {
		return Temporary{failed}
	}
	return failed
}

// Amazon is Amazon S3 or a compatible store. The id of a version is its ETag: unlike the version
// ids of a bucket, ETags are part of listings, and every store has them.
type Amazon struct{ Client *s3.Client }

func (a Amazon) Attrs(ctx context.Context, o Object) (Attrs, error) {
	out, err := a.Client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &o.Bucket, Key: &o.Name})
	if err != nil {
		return Attrs{}, err
	}
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	return Attrs{Name: o.Name, Size: aws.ToInt64(out.ContentLength), ID: aws.ToString(out.ETag), Metadata: out.Metadata}, nil
}

func (a Amazon) List(ctx context.Context, prefix Object, pageSize int) iter.Seq2[Attrs, error] {
	return func(yield func(Attrs, error) bool) {
		pages := s3.NewListObjectsV2Paginator(a.Client, &s3.ListObjectsV2Input{Bucket: &prefix.Bucket, Prefix: &prefix.Name}, func(o *s3.ListObjectsV2PaginatorOptions) {
			o.Limit = int32(pageSize)
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(Attrs{}, err)
				return
			}
			for _, o := range page.Contents {
				if !yield(Attrs{Name: aws.ToString(o.Key), Size: aws.ToInt64(o.Size), ID: aws.ToString(o.ETag)}, nil) {
					return
				}
			}
		}
	}
}

func (a Amazon) Get(ctx context.Context, o Object, id string, off, length int64) (io.ReadCloser, error) {
	out, err := a.Client.GetObject(ctx, &s3.GetObjectInput{
		Bucket: &o.Bucket, Key: &o.Name, IfMatch: &id, Range: aws.String(fmt.Sprintf("bytes=%d-%d", off, off+length-1)),
	})
	if err != nil {
		return nil, err
	}
	return rangeOf(out.Body, out.ContentRange, off, length)
}

// Put uploads a large object in parts. The object appears when all parts are there.
func (a Amazon) Put(ctx context.Context, o Object, content *os.File, _ int64, metadata map[string]string) error {
	manager := transfermanager.New(a.Client, func(m *transfermanager.Options) {
		m.PartSizeBytes, m.MultipartUploadThreshold = chunkSize, chunkSize
		m.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		m.FailTimeout = CleanupTime // for removing parts
	})
	_, err := manager.UploadObject(ctx, &transfermanager.UploadObjectInput{
		Bucket: &o.Bucket, Key: &o.Name, Body: content, IfNoneMatch: aws.String("*"), ContentType: aws.String(contentType(o)), Metadata: metadata,
	})
	return err
}

// MayPut starts a multipart upload and aborts it.
func (a Amazon) MayPut(ctx context.Context, o Object) error {
	out, err := a.Client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &o.Bucket, Key: &o.Name})
	if err != nil {
		return err
	}
	_, err = a.Client.AbortMultipartUpload(context.WithoutCancel(ctx), &s3.AbortMultipartUploadInput{Bucket: &o.Bucket, Key: &o.Name, UploadId: out.UploadId})
	return err
}

// Remove ignores the version, because nobody can have replaced an object that Put created.
func (a Amazon) Remove(ctx context.Context, o Object, _ string) error {
	_, err := a.Client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &o.Bucket, Key: &o.Name})
	return err
}

func (Amazon) Brief(err error) error {
	var response *awshttp.ResponseError
	var api smithy.APIError
	switch {
	case !errors.As(err, &response):
		return err
	case response.HTTPStatusCode() == 0: // there was no response
		return brief{response.Err.Error(), err}
	case errors.As(err, &api):
		return answered(err, response.HTTPStatusCode(), api.ErrorCode(), api.ErrorMessage())
	}
	return answered(err, response.HTTPStatusCode(), "", response.Err.Error())
}

const authenticateS3 = "to authenticate, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give the machine a role"

func (Amazon) Explain(o Object, err error) (Problem, string) {
	code, status, header := "", 0, http.Header{}
	var api smithy.APIError
	if errors.As(err, &api) {
		code = api.ErrorCode()
	}
	var response *awshttp.ResponseError
	if errors.As(err, &response) {
		status, header = response.HTTPStatusCode(), response.Response.Header
	}
	switch code {
	case "NoSuchBucket":
		return NoBucket, ""
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "RequestTimeTooSkewed":
		return UnknownAccount, authenticateS3
	case "AuthorizationHeaderMalformed":
		status = http.StatusMovedPermanently
	case "RequestTimeout": // with status 400
		return Unavailable, ""
	}
	switch region := header.Get("X-Amz-Bucket-Region"); {
	case status == 0:
		return ofConnection(err), ""
	case status/100 == 3 && region != "":
		return otherwise, "bucket " + o.Bucket + " is in another region; set AWS_REGION=" + region
	case status == http.StatusMovedPermanently:
		return otherwise, "bucket " + o.Bucket + " is in another region; set AWS_REGION to it"
	case status == http.StatusNotImplemented:
		return otherwise, "the store lacks something that is needed, such as creating an object only if there is none (If-None-Match)"
	}
	return ofStatus(status, header, authenticateS3, "allow the account s3:GetObject and s3:ListBucket on bucket "+o.Bucket+
		" to read, and s3:PutObject, s3:AbortMultipartUpload and s3:DeleteObject to write (without s3:ListBucket, what does not exist is forbidden, too)")
}
