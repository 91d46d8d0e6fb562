package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/fakeazure"
	"github.com/beameval/beameval/io/files/internal/stores"
)

// inAccount returns the name of an object of the fake, including its account.
func inAccount(name string) string {
	o := azureAZ.object(name)
	return "abfss://" + o.Bucket + "@" + fakeazure.Account + ".dfs.core.windows.net/" + o.Name
}

func TestAzureAccountInName(t *testing.T) {
	root := azureAZ.root(t)
	long := inAccount(root)
	require.NoError(t, Publish(t.Context(), long+"/out", report("a.parquet", "dt=1/b.parquet")))
	infos, err := List(t.Context(), parquet, long+"/**/*.parquet")
	require.NoError(t, err)
	require.Equal(t, []string{long + "/out/a.parquet", long + "/out/dt=1/b.parquet"}, names(infos))
	content, err := ReadFile(t.Context(), long+"/out/a.parquet", 1<<30)
	require.NoError(t, err)
	same, err := ReadFile(t.Context(), root+"/out/a.parquet", 1<<30)
	require.NoError(t, err)
	require.Equal(t, string(same), string(content))
	require.ErrorIs(t, CheckOutput(t.Context(), root+"/out"), ErrOutputExists)
}

// TestAzureCredentials: how requests are authenticated. A key or a token is sent only to its own
// account.
func TestAzureCredentials(t *testing.T) {
	const noIdentity = "to authenticate, set AZURE_STORAGE_KEY"
	var got *http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		w.WriteHeader(http.StatusNotFound)
	}))
	defer server.Close()
	endpoint := server.URL + "/" + fakeazure.Account
	connection := fakeazure.ConnectionString(server.URL)
	key, sas := "AZURE_STORAGE_KEY="+fakeazure.Key, "AZURE_STORAGE_SAS_TOKEN=?sv=1&sig=x%2F"
	at := "AZURE_STORAGE_SERVICE_ENDPOINT=" + endpoint
	own, other := "c@"+fakeazure.Account+".dfs.core.windows.net", "c@other.dfs.core.windows.net"
	for _, c := range []struct {
		name, bucket string
		environment  []string
		authorized   string // the beginning of the header
		signature    string // in the URL
		failure      string
	}{
		{"a connection string", "c", []string{"AZURE_STORAGE_CONNECTION_STRING=" + connection, "AZURE_STORAGE_ACCOUNT=another"}, "SharedKey " + fakeazure.Account + ":", "", ""},
		{"a connection string with a token", "c", []string{"AZURE_STORAGE_CONNECTION_STRING=BlobEndpoint=" + endpoint + ";SharedAccessSignature=sig=x"}, "", "x", ""},
		{"a connection string of the account in the name", own, []string{"AZURE_STORAGE_CONNECTION_STRING=" + connection}, "SharedKey " + fakeazure.Account + ":", "", ""},
		{"a connection string of another account", other, []string{"AZURE_STORAGE_CONNECTION_STRING=" + connection}, "", "", noIdentity},
		{"a connection string and a token of another account", other, []string{"AZURE_STORAGE_CONNECTION_STRING=BlobEndpoint=https://mine.blob.core.windows.net/;SharedAccessSignature=sig=x"}, "", "", noIdentity},
		{"a broken connection string", "c", []string{"AZURE_STORAGE_CONNECTION_STRING=x"}, "", "", "connection string is either blank or malformed"},
		{"a key", "c", []string{"AZURE_STORAGE_ACCOUNT=" + fakeazure.Account, key, at}, "SharedKey " + fakeazure.Account + ":", "", ""},
		{"a key of the account in the name", own, []string{"AZURE_STORAGE_ACCOUNT=" + fakeazure.Account, key, sas, at}, "SharedKey " + fakeazure.Account + ":", "", ""},
		{"a key of another account", other, []string{"AZURE_STORAGE_ACCOUNT=" + fakeazure.Account, key, sas, at}, "", "", noIdentity},
		{"a token of nobody knows whom", other, []string{sas}, "", "", "set AZURE_STORAGE_ACCOUNT to the account that the credentials in the environment are of: they are sent to no other, and other.dfs.core.windows.net is named"},
		{"a connection string of nobody knows whom", other, []string{"AZURE_STORAGE_CONNECTION_STRING=BlobEndpoint=https://storage.example.org/;SharedAccessSignature=sig=x"}, "", "", "set AZURE_STORAGE_ACCOUNT"},
		{"a broken key", "c", []string{"AZURE_STORAGE_ACCOUNT=" + fakeazure.Account, "AZURE_STORAGE_KEY=*"}, "", "", "AZURE_STORAGE_KEY is no key: "},
		{"a token", "c", []string{"AZURE_STORAGE_ACCOUNT=" + fakeazure.Account, sas, at}, "", "x/", ""},
		{"an identity", "c", []string{"AZURE_STORAGE_ACCOUNT=" + fakeazure.Account, at}, "", "", noIdentity},
		{"no account", "c", []string{sas}, "", "", "there is no account; set AZURE_STORAGE_ACCOUNT or AZURE_STORAGE_CONNECTION_STRING, or name the account: abfss://"},
		{"no account in the name", "c@example.org", []string{key}, "", "", "example.org is not an account of Azure; the form is abfss://container@account.dfs.core.windows.net/path"},
		{"a host that is not Azure's", "c@" + fakeazure.Account + ".dfs.example.org", []string{key}, "", "", "set AZURE_STORAGE_SERVICE_ENDPOINT and write az://container/path"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, variable := range []string{"CONNECTION_STRING", "ACCOUNT", "KEY", "SAS_TOKEN", "SERVICE_ENDPOINT"} {
				t.Setenv("AZURE_STORAGE_"+variable, "")
			}
			for _, variable := range c.environment {
				name, value, _ := strings.Cut(variable, "=")
				t.Setenv(name, value)
			}
			got = nil
			st := stores.NewAzure(policy.RetryOptions{MaxRetries: -1})
			_, err := objects{"az://", "container", "ETag", func(context.Context) (stores.Store, error) { return st, nil }, stallTimeout}.open(t.Context(), "az://"+c.bucket+"/x", "", 0)
			if c.failure != "" {
				require.ErrorContains(t, err, "az://"+c.bucket+"/x: cannot use Azure Blob Storage: ")
				require.ErrorContains(t, err, c.failure)
				require.Nil(t, got)
				return
			}
			require.ErrorIs(t, err, fs.ErrNotExist)
			require.Equal(t, c.signature, got.URL.Query().Get("sig"))
			require.True(t, strings.HasPrefix(got.Header.Get("Authorization"), c.authorized) && (c.authorized == "") == (got.Header.Get("Authorization") == ""), got.Header)
		})
	}
}

// TestAzureNoSuchAccount: each account has its own host. The host of a misspelt account is
// requested only once.
func TestAzureNoSuchAccount(t *testing.T) {
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "")
	t.Setenv("AZURE_STORAGE_ACCOUNT", "mien")
	t.Setenv("AZURE_STORAGE_KEY", fakeazure.Key)
	st := stores.NewAzure(policy.RetryOptions{})
	asked := 0
	st.Options.Transport = transport(func(*http.Request) (*http.Response, error) {
		asked++
		return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
	})
	s := objects{"abfss://", "container", "ETag", func(context.Context) (stores.Store, error) { return st, nil }, stallTimeout}
	_, err := s.open(t.Context(), "abfss://c@mien.dfs.core.windows.net/x", "", 0)
	require.ErrorContains(t, err, "open abfss://c@mien.dfs.core.windows.net/x: there is no such account; check its name: ")
	require.Equal(t, 1, asked)
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) Do(r *http.Request) (*http.Response, error) { return f(r) }

// TestAzureHierarchy: accounts with a hierarchical namespace list directories as objects, and keep
// empty ones.
func TestAzureHierarchy(t *testing.T) {
	root := azureAZ.root(t)
	directory := func(name string) {
		azureAZ.putAs(azureAZ.object(name), "", map[string]string{"hdi_isfolder": "true"})
	}
	for _, name := range []string{root, root + "/in", root + "/in/dt=1", root + "/in/empty.parquet", root + "/out", root + "/out/old"} {
		directory(name)
	}
	azureAZ.put(t, root+"/in/dt=1/x.parquet", "x")
	for _, pattern := range []string{root + "/in", root + "/in/", root + "/in/**/*.parquet", root + "/in/*"} {
		infos, err := List(t.Context(), parquet, pattern)
		require.NoError(t, err, pattern)
		require.Equal(t, []string{root + "/in/dt=1/x.parquet"}, names(infos), pattern)
	}
	_, err := Open(t.Context(), root+"/in/dt=1")
	require.ErrorContains(t, err, "this is a directory, not a file")
	_, err = Open(t.Context(), root+"/in/empty.parquet")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, CheckOutput(t.Context(), root+"/out"))
	require.NoError(t, Publish(t.Context(), root+"/out", report("a")))
	require.ErrorIs(t, CheckOutput(t.Context(), root+"/out"), ErrOutputExists)
}

// TestAzureBlocks: a failed upload in blocks leaves nothing visible.
func TestAzureBlocks(t *testing.T) {
	root := azureAZ.root(t)
	azureAZ.inject(root, azureAZ.answer(403, 1, func(r *http.Request) bool { return r.URL.Query().Get("comp") == "block" && r.ContentLength == 1 }))
	require.ErrorIs(t, Publish(t.Context(), root, func(create creator) error {
		w, err := create("large")
		require.NoError(t, err)
		_, err = io.WriteString(w, pattern(chunkSize+1))
		return err
	}), fs.ErrPermission)
	require.Empty(t, azureAZ.all(t, root))
}

// TestAzureErrorsAreBrief: the service's own error texts have many lines.
func TestAzureErrorsAreBrief(t *testing.T) {
	root := azureAZ.root(t)
	azureAZ.inject(root, azureAZ.answer(403, -1, always))
	err := Publish(t.Context(), root, report("a"))
	require.ErrorContains(t, err, "or use another account: status 403 AuthorizationPermissionMismatch: as the test wants it")
	require.NotContains(t, err.Error(), "\n")
	require.NotContains(t, err.Error(), "RequestId")
	_, err = Open(t.Context(), root) // the answer has no body
	require.Equal(t, "status 403", err.Error()[strings.LastIndex(err.Error(), "status"):])
}

// TestTokenOfAPastedAddressStaysSecret: messages do not contain it.
func TestTokenOfAPastedAddressStaysSecret(t *testing.T) {
	for _, name := range []string{"https://account.blob.core.windows.net/c/x.parquet?sv=1&sig=secret", "https://example.org/x.parquet?token=secret"} {
		_, _, err := lookup(name)
		require.ErrorContains(t, err, "x.parquet")
		require.NotContains(t, err.Error(), "secret")
	}
}

// TestAzureTokenStaysSecret: request URLs contain the SAS token, messages must not.
func TestAzureTokenStaysSecret(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "BlobEndpoint="+server.URL+"/"+fakeazure.Account+";SharedAccessSignature=sig=secret")
	st := stores.Watched{Store: stores.NewAzure(policy.RetryOptions{MaxRetries: -1}), Patience: stallTimeout}
	o := stores.Object{Bucket: "c", Name: "x"}
	_, attrsErr := st.Attrs(t.Context(), o)
	_, getErr := st.Get(t.Context(), o, "1", 0, 1)
	for _, listErr := range st.List(t.Context(), o, 0) {
		for _, err := range []error{attrsErr, getErr, listErr, st.MayPut(t.Context(), o), st.Remove(t.Context(), o, "1")} {
			require.ErrorContains(t, err, server.URL+"/"+fakeazure.Account+"/c")
			require.NotContains(t, err.Error(), "secret")
		}
	}
}

// TestAzureNoListing: the server may not be Azure at all.
func TestAzureNoListing(t *testing.T) {
	for answer, message := range map[string]string{
		"": "the answer of the service is no listing",
		"<EnumerationResults><Blobs><Blob></Blob></Blobs></EnumerationResults>": "the service lists a blob without a name or properties",
	} {
		root := azureAZ.root(t)
		azureAZ.inject(root, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if !r.URL.Query().Has("comp") {
				next.ServeHTTP(w, r)
				return
			}
			io.WriteString(w, answer)
		})
		_, err := List(t.Context(), parquet, root)
		require.ErrorContains(t, err, "list "+root+": "+message)
	}
}

// TestAzureTokenFaults: if the service that provides tokens does not respond or is overloaded, a
// retry may succeed.
func TestAzureTokenFaults(t *testing.T) {
	for _, variable := range []string{"CONNECTION_STRING", "KEY", "SAS_TOKEN", "SERVICE_ENDPOINT"} {
		t.Setenv("AZURE_STORAGE_"+variable, "")
	}
	t.Setenv("AZURE_STORAGE_ACCOUNT", "mine")
	for _, variable := range []string{"TENANT_ID", "CLIENT_ID", "CLIENT_SECRET"} {
		t.Setenv("AZURE_"+variable, "of-a-test")
	}
	answer := func(status int) transport {
		return func(r *http.Request) (*http.Response, error) {
			body := `{"error": "invalid_client", "error_description": "AADSTS: ` + strings.Repeat("long ", 1000) + `"}`
			return &http.Response{
				StatusCode: status, Header: http.Header{"Retry-After-Ms": {"1"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r,
			}, nil
		}
	}
	for name, test := range map[string]struct {
		transport
		temporary bool
		message   string
	}{
		"overloaded": {answer(503), true, "status 503 invalid_client: AADSTS: long"},
		"refused":    {answer(401), false, "status 401 invalid_client: AADSTS: long"},
		"no answer": {func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
		}, true, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			st := stores.NewAzure(policy.RetryOptions{MaxRetries: -1})
			st.Options.Transport = test.transport
			_, err := objects{"az://", "container", "ETag", func(context.Context) (stores.Store, error) { return st, nil }, stallTimeout}.open(t.Context(), "az://c/x", "", 0)
			require.ErrorContains(t, err, "open az://c/x: cannot use Azure Blob Storage: to authenticate, set ")
			require.ErrorContains(t, err, test.message)
			require.NotContains(t, err.Error(), "\n")
			require.Less(t, len(err.Error()), 1000)
			require.Equal(t, test.temporary, Temporary(err), "%v", err)
		})
	}
}
