package stores

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/service"
)

// ConnectAzure does not authenticate; the first request to an account does.
func ConnectAzure(context.Context) (Store, error) {
	return NewAzure(policy.RetryOptions{MaxRetries: maxAttempts - 1, RetryDelay: 250 * time.Millisecond, MaxRetryDelay: maxPause}), nil
}

// Azure is Azure Blob Storage. The id of a version is its ETag without quotes. A bucket is a
// container of the account that the environment names, or container@account.dfs.SUFFIX.
type Azure struct {
	Options service.ClientOptions

	// The lock is held while connecting to an account: of many concurrent requests, only one asks
	// for a token, because a machine may do so only a few times a second.
	mu      sync.Mutex
	clients map[string]*service.Client // by what follows '@' in the bucket
}

func NewAzure(retry policy.RetryOptions) *Azure {
	retry.ShouldRetry = func(r *http.Response, err error) bool {
		if err != nil {
			return !noSuchHost(err) && !errors.Is(err, errLong)
		}
		return runtime.HasStatusCode(r, http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
			http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout)
	}
	return &Azure{
		Options: service.ClientOptions{ClientOptions: policy.ClientOptions{Retry: retry, Transport: guarded(http.Client{Transport: manyToOneHost()})}},
		clients: map[string]*service.Client{},
	}
}

// manyToOneHost returns a transport that keeps many idle connections to a single host.
func manyToOneHost() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	t = t.Clone()
	t.MaxIdleConnsPerHost = t.MaxIdleConns
	return t
}

// noSuchHost reports whether an account does not exist. Each account has its own host name.
func noSuchHost(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}

func (a *Azure) container(ctx context.Context, o Object) (*container.Client, error) {
	name, host, _ := strings.Cut(o.Bucket, "@")
	a.mu.Lock()
	defer a.mu.Unlock()
	client := a.clients[host]
	if client == nil {
		var err error
		if client, err = a.connect(ctx, host); err != nil {
			return nil, fmt.Errorf("cannot use Azure Blob Storage: %w", err)
		}
		a.clients[host] = client
	}
	return client.NewContainerClient(name), nil
}

func (a *Azure) blob(ctx context.Context, o Object) (*blockblob.Client, error) {
	c, err := a.container(ctx, o)
	if err != nil {
		return nil, err
	}
	return c.NewBlockBlobClient(o.Name), nil
}

var (
	// The pattern prevents a name from sending credentials to hosts that are not Azure's.
	accountInHost       = regexp.MustCompile(`^([a-z0-9]+)\.(?:dfs|blob)\.(core\.(?:windows\.net|chinacloudapi\.cn|usgovcloudapi\.net))$`)
	accountInConnection = regexp.MustCompile(`(?:AccountName=|BlobEndpoint=https://)([a-z0-9]+)(?:;|$|\.blob\.)`)
)

// connect reads the same environment variables as Azure's command line. A key, a SAS token and a
// connection string belong to a single account.
func (a *Azure) connect(ctx context.Context, host string) (*service.Client, error) {
	connection, own := os.Getenv("AZURE_STORAGE_CONNECTION_STRING"), os.Getenv("AZURE_STORAGE_ACCOUNT")
	if match := accountInConnection.FindStringSubmatch(connection); match != nil {
		own = match[1]
	}
	account, endpoint := own, "https://"+own+".blob.core.windows.net"
	if host != "" {
		match := accountInHost.FindStringSubmatch(host)
		if match == nil {
			return nil, fmt.Errorf("%s is not an account of Azure; the form is abfss://container@account.dfs.core.windows.net/path; for another endpoint set AZURE_STORAGE_SERVICE_ENDPOINT and write az://container/path", host)
		}
		account, endpoint = match[1], "https://"+match[1]+".blob."+match[2]
	}
	key, sas := os.Getenv("AZURE_STORAGE_KEY"), os.Getenv("AZURE_STORAGE_SAS_TOKEN")
	other := os.Getenv("AZURE_STORAGE_SERVICE_ENDPOINT")
	switch {
	case own == "" && host != "" && connection+key+sas+other != "":
		return nil, fmt.Errorf("set AZURE_STORAGE_ACCOUNT to the account that the credentials in the environment are of: they are sent to no other, and %s is named", host)
	case account != own:
		connection, key, sas = "", "", ""
	case other != "":
		endpoint = other
	}
	switch {
	case connection != "":
		return service.NewClientFromConnectionString(connection, &a.Options)
	case account == "":
		return nil, errors.New("there is no account; set AZURE_STORAGE_ACCOUNT or AZURE_STORAGE_CONNECTION_STRING, or name the account: abfss://container@account.dfs.core.windows.net/path")
	case key != "":
		credential, err := service.NewSharedKeyCredential(account, key)
		if err != nil {
			return nil, fmt.Errorf("AZURE_STORAGE_KEY is no key: %w", err)
		}
		return service.NewClientWithSharedKeyCredential(endpoint, credential, &a.Options)
	case sas != "":
		return service.NewClientWithNoCredential(endpoint+"/?"+strings.TrimPrefix(sas, "?"), &a.Options)
	}
	credential, err := newIdentity(a.Options.ClientOptions)
	if err == nil {
		_, err = credential.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{"https://storage.azure.com/.default"}})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", authenticateAzure, err)
	}
	return service.NewClient(endpoint, credential, &a.Options)
}

// errFolder is the error for a directory that accounts with a hierarchical namespace store as an
// object.
var errFolder = errors.New("this is a directory")

func isFolder(metadata map[string]string) bool { return metadata["hdi_isfolder"] == "true" }

func (a *Azure) Attrs(ctx context.Context, o Object) (Attrs, error) {
	client, err := a.blob(ctx, o)
	if err != nil {
		return Attrs{}, err
	}
	p, err := client.GetProperties(ctx, nil)
	if err != nil {
		return Attrs{}, err
	}
	found := attrsOfBlob(o.Name, p.ContentLength, p.ETag, p.Metadata)
	if isFolder(found.Metadata) {
		return Attrs{}, errFolder
	}
	return found, nil
}

func attrsOfBlob(name string, size *int64, etag *azcore.ETag, metadata map[string]*string) Attrs {
	a := Attrs{Name: name, Metadata: map[string]string{}}
	if size != nil {
		a.Size = *size
	}
	if etag != nil { // quoted in headers, not in listings
		a.ID = strings.Trim(string(*etag), `"`)
	}
	for key, value := range metadata {
		if value != nil {
			a.Metadata[strings.ToLower(key)] = *value // headers do not preserve case
		}
	}
	return a
}

func (a *Azure) List(ctx context.Context, prefix Object, pageSize int) iter.Seq2[Attrs, error] {
	return func(yield func(Attrs, error) bool) {
		client, err := a.container(ctx, prefix)
		if err != nil {
			yield(Attrs{}, err)
			return
		}
		options := &container.ListBlobsFlatOptions{Prefix: &prefix.Name, Include: container.ListBlobsInclude{Metadata: true}}
		if pageSize > 0 {
			options.MaxResults = to.Ptr(int32(pageSize))
		}
		pages := client.NewListBlobsFlatPager(options)
		for pages.More() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(Attrs{}, err)
				return
			}
			if page.Segment == nil {
				yield(Attrs{}, errors.New("the answer of the service is no listing"))
				return
			}
			for _, b := range page.Segment.BlobItems {
				if b.Name == nil || b.Properties == nil {
					yield(Attrs{}, errors.New("the service lists a blob without a name or properties"))
					return
				}
				found := attrsOfBlob(*b.Name, b.Properties.ContentLength, b.Properties.ETag, b.Metadata)
				if !isFolder(found.Metadata) && !yield(found, nil) {
					return
				}
			}
		}
	}
}

// ifVersion returns the condition that an object has a version.
func ifVersion(id string) *blob.AccessConditions {
	return &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfMatch: to.Ptr(azcore.ETag(`"` + id + `"`))}}
}

func (a *Azure) Get(ctx context.Context, o Object, id string, off, length int64) (io.ReadCloser, error) {
	client, err := a.blob(ctx, o)
	if err != nil {
		return nil, err
	}
	out, err := client.DownloadStream(ctx, &blob.DownloadStreamOptions{Range: blob.HTTPRange{Offset: off, Count: length}, AccessConditions: ifVersion(id)})
	if err != nil {
		return nil, err
	}
	return rangeOf(out.Body, out.ContentRange, off, length)
}

// Put uploads a large object in blocks. The object appears when all blocks are there; Azure
// discards the blocks of a failed upload after a week.
func (a *Azure) Put(ctx context.Context, o Object, content *os.File, _ int64, metadata map[string]string) error {
	client, err := a.blob(ctx, o)
	if err != nil {
		return err
	}
	options := &blockblob.UploadStreamOptions{
		BlockSize: chunkSize, Concurrency: 1,
		HTTPHeaders:      &blob.HTTPHeaders{BlobContentType: to.Ptr(contentType(o))},
		Metadata:         map[string]*string{},
		AccessConditions: &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfNoneMatch: to.Ptr(azcore.ETagAny)}},
	}
	for key, value := range metadata {
		options.Metadata[key] = &value
	}
	_, err = client.UploadStream(ctx, content, options)
	return err
}

// MayPut makes a request that requires write permission but cannot succeed: replacing a version
// that never existed.
func (a *Azure) MayPut(ctx context.Context, o Object) error {
	client, err := a.blob(ctx, o)
	if err != nil {
		return err
	}
	_, err = client.UploadBuffer(ctx, nil, &blockblob.UploadBufferOptions{AccessConditions: ifVersion("0x0")})
	if bloberror.HasCode(err, bloberror.ConditionNotMet) {
		return nil
	}
	return err
}

func (a *Azure) Remove(ctx context.Context, o Object, id string) error {
	client, err := a.blob(ctx, o)
	if err != nil {
		return err
	}
	_, err = client.Delete(ctx, &blob.DeleteOptions{AccessConditions: ifVersion(id)})
	return err
}

// Brief also drops the SAS token, which is part of request URLs.
func (*Azure) Brief(err error) error {
	var response *azcore.ResponseError
	var failed *url.Error
	switch {
	case errors.As(err, &response):
		var content struct{ Message string }
		if body, err := runtime.Payload(response.RawResponse); err == nil {
			_ = xml.Unmarshal(body, &content)
		}
		return answered(err, response.StatusCode, response.ErrorCode, content.Message)
	case errors.As(err, &failed):
		failed.URL, _, _ = strings.Cut(failed.URL, "?")
	}
	return err
}

const authenticateAzure = "to authenticate, set AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or AZURE_STORAGE_CONNECTION_STRING, run `az login`, or give the machine an identity"

func (*Azure) Explain(o Object, err error) (Problem, string) {
	var response *azcore.ResponseError
	var unauthenticated *azidentity.AuthenticationFailedError
	switch {
	case errors.Is(err, errFolder):
		return NoObject, ""
	case errors.As(err, &unauthenticated):
		if r := unauthenticated.RawResponse; r != nil && overloaded(r.StatusCode) {
			return Unavailable, ""
		}
		return ofConnection(err), ""
	case noSuchHost(err):
		return otherwise, "there is no such account; check its name"
	case !errors.As(err, &response):
		return ofConnection(err), ""
	}
	switch bloberror.Code(response.ErrorCode) {
	case bloberror.ContainerNotFound:
		return NoBucket, ""
	case bloberror.BlobAlreadyExists:
		return ConditionFailed, ""
	case bloberror.AuthenticationFailed:
		return UnknownAccount, authenticateAzure
	}
	return ofStatus(response.StatusCode, response.RawResponse.Header, authenticateAzure,
		"grant your identity a role on container "+o.Bucket+", Storage Blob Data Reader to read or Storage Blob Data Contributor to write")
}
