package stores

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/beameval/beameval/io/quote"
)

// Limits of responses that are held in memory. Ranges of objects are not: their size was requested.
const (
	longestFailure = 1 << 20
	longestAnswer  = 64 << 20
)

// guarded returns a copy of a client that follows redirects only within the host of the request,
// because requests carry credentials. It also limits the size of responses.
func guarded(client http.Client) *http.Client {
	allowed := client.CheckRedirect
	client.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		r.Header.Del("Referer") // the header is a URL and may contain a token
		switch from := via[0]; {
		case r.URL.Scheme != from.URL.Scheme || r.URL.Host != from.URL.Host || r.Method != from.Method || len(via) == 10:
			return http.ErrUseLastResponse
		case allowed != nil:
			return allowed(r, via)
		}
		return nil
	}
	client.Transport = bounded{client.Transport}
	return &client
}

// redirected says where a response redirected the request, or "" if it did not.
func redirected(status int, header http.Header) string {
	to, err := url.Parse(header.Get("Location"))
	if status/100 != 3 || err != nil || to.Host == "" {
		return ""
	}
	return fmt.Sprintf("redirected to %s, which is not followed", quote.Short(to.Scheme+"://"+to.Host))
}

// bounded truncates the bodies of failures, and fails if another response is too long.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	switch {
	case answer.StatusCode/100 != 2:
		answer.Body = body{io.LimitReader(answer.Body, longestFailure), answer.Body}
	case r.Header.Get("Range") == "" && r.Header.Get("x-ms-range") == "":
		answer.Body = body{&limited{answer.Body, longestAnswer}, answer.Body}
	}
	return answer, nil
}

type body struct {
	io.Reader
	io.Closer
}

// limited fails after left bytes.
type limited struct {
	io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, errLong
	}
	return n, err
}

var errLong = fmt.Errorf("the answer is longer than %d MiB, which no listing is", longestAnswer>>20)

// rangeOf returns the body of a response to a range request. Its connection may break while it is
// being read: libraries only retry requests until the response begins.
func rangeOf(body io.ReadCloser, contentRange *string, off, length int64) (io.ReadCloser, error) {
	if contentRange == nil || !strings.HasPrefix(*contentRange, fmt.Sprintf("bytes %d-", off)) {
		body.Close()
		return nil, fmt.Errorf("the store was asked for %d bytes from byte %d on and returned others; it must support Range", length, off)
	}
	return resumable{body}, nil
}

type resumable struct{ io.ReadCloser }

func (r resumable) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: %w", io.ErrUnexpectedEOF, err)
	}
	return n, err
}
