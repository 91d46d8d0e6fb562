package stores

import (
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/fakeazure"
)

// TestHostsOfAzure: an account is on the host of its cloud.
func TestHostsOfAzure(t *testing.T) {
	for host, url := range map[string]string{
		"mine.dfs.core.windows.net":       "https://mine.blob.core.windows.net",
		"mine.blob.core.chinacloudapi.cn": "https://mine.blob.core.chinacloudapi.cn",
	} {
		t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "")
		t.Setenv("AZURE_STORAGE_ACCOUNT", "mine")
		t.Setenv("AZURE_STORAGE_KEY", fakeazure.Key)
		client, err := NewAzure(policy.RetryOptions{}).connect(t.Context(), host)
		require.NoError(t, err)
		require.Equal(t, url, client.URL())
	}
}
