//go:build browser

package main

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/beameval/beameval/internal/testing/browser"
)

// TestBrowserSite opens pages of each kind of the site that make docs has made, in light and dark mode and at the width of a
// phone: they keep the rules of accessibility, fit, and load nothing from elsewhere.
func TestBrowserSite(t *testing.T) {
	axe, started := browser.Axe(t, "../../.."), browser.Start(t)
	html, err := filepath.Abs("../../../out/site/html")
	require.NoError(t, err)
	for _, name := range []string{"index", "cookbook", "configuration", "metrics/binary", "metric/roc_auc", "metric/std", "metric/log_loss_uncertainty", "samples", "search"} {
		t.Run(name, func(t *testing.T) {
			ctx, requests := openPage(t, started, filepath.Join(html, name+".html"))
			breaks := func(script, what string, width int64) {
				_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 500})
				require.NoError(t, err)
				broken, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](script, chromedp.EvalAwaitPromise))
				require.NoError(t, err)
				require.Empty(t, broken, "%s at %d pixels", what, width)
				wide, err := chromedp.Run(ctx, chromedp.Evaluate[int64]("document.documentElement.scrollWidth", chromedp.EvalAwaitPromise))
				require.NoError(t, err)
				require.LessOrEqual(t, wide, width, "the page is wider than the window")
			}
			breaks(axe+"; "+browser.Violations, "rules of accessibility", 1280)
			breaks(browser.Violations, "rules of accessibility", 360)
			prefer(t, ctx, "dark")
			breaks(browser.Contrast, "colours in the dark", 1280)
			for _, address := range requests() {
				require.True(t, strings.HasPrefix(address, "file:") || strings.HasPrefix(address, "data:"), "loads %s", address)
			}
		})
	}
}

// openPage opens a file in a tab of its own, and returns what it has loaded so far.
func openPage(t *testing.T, started context.Context, file string) (ctx context.Context, requests func() []string) {
	ctx, cancel := chromedp.NewContext(started)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	var mu sync.Mutex
	var all []string
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		if request, is := event.(*network.EventRequestWillBeSent); is {
			mu.Lock()
			defer mu.Unlock()
			all = append(all, request.Request.URL)
		}
	}))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	prefer(t, ctx, "light")
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate(fmt.Sprint(&url.URL{Scheme: "file", Path: file}))))
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		require.NotEmpty(t, all)
		return all
	}
}

// prefer says which scheme of colours the reader prefers.
func prefer(t *testing.T, ctx context.Context, scheme string) {
	_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	require.NoError(t, err)
}
