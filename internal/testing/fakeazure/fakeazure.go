// Package fakeazure is as much of Azure Blob Storage as tests need, in memory: containers of
// block blobs that are listed, read by ranges and conditions, and written whole or in blocks.
// It looks at no credentials.
package fakeazure

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Account is the only account, and Key a key for it: both are from Azure's own emulators.
const (
	Account = "devstoreaccount1"
	Key     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// ConnectionString returns the connection string for a server at this address.
func ConnectionString(url string) string {
	return fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;BlobEndpoint=%s/%[1]s;", Account, Key, url)
}

// Store is the storage of the account. It serves HTTP.
type Store struct {
	mu         sync.Mutex
	containers map[string]map[string]Blob
	staged     map[string]string // blocks, by the path of the blob and their ids
	puts       int
}

// Blob is a block blob.
type Blob struct {
	Content, ContentType string
	Metadata             map[string]string // with keys in lower case
	etag                 string
}

// New returns a store without containers.
func New() *Store {
	return &Store{containers: map[string]map[string]Blob{}, staged: map[string]string{}}
}

// Create creates a container.
func (s *Store) Create(container string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.containers[container] = map[string]Blob{}
}

// Put writes a blob, which takes the place of an older one.
func (s *Store) Put(container, name string, b Blob) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(container, name, b)
}

func (s *Store) put(container, name string, b Blob) (etag string) {
	s.puts++
	b.etag = fmt.Sprintf("0x8DC%011X", s.puts)
	s.containers[container][name] = b
	return b.etag
}

// Get returns a blob.
func (s *Store) Get(container, name string) (Blob, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.containers[container][name]
	return b, ok
}

// Delete deletes a blob.
func (s *Store) Delete(container, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.containers[container], name)
}

// List returns the sorted names of the blobs that begin with prefix.
func (s *Store) List(container, prefix string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.list(container, prefix)
}

func (s *Store) list(container, prefix string) []string {
	names := slices.Sorted(maps.Keys(s.containers[container]))
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, prefix) })
}

// Place returns what a request is for. The name is "" if that is the container.
func Place(r *http.Request) (container, name string) {
	container, name, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"+Account+"/"), "/")
	return container, name
}

// Failure returns the body of an answer that says what went wrong.
func Failure(code string) string {
	return "\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>" + code + "</Code><Message>as the test wants it\nRequestId:1\nTime:2</Message></Error>"
}

func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("x-ms-version", r.Header.Get("x-ms-version"))
	container, name := Place(r)
	blobs, ok := s.containers[container]
	if !ok {
		fail(w, http.StatusNotFound, "ContainerNotFound")
		return
	}
	b, exists := blobs[name]
	query := r.URL.Query()
	comp := query.Get("comp")
	switch {
	case r.Method == http.MethodGet && comp == "list":
		s.serveList(w, container, query.Get("prefix"), query.Get("marker"), query.Get("maxresults"), query.Get("include"))
	case r.Method == http.MethodPut && comp == "block":
		s.staged[r.URL.Path+" "+query.Get("blockid")] = string(body)
		w.WriteHeader(http.StatusCreated)
	case r.Method == http.MethodPut:
		switch want := r.Header.Get("If-Match"); {
		case r.Header.Get("If-None-Match") == "*" && exists:
			fail(w, http.StatusConflict, "BlobAlreadyExists")
			return
		case want != "" && (!exists || want != quoted(b.etag)):
			fail(w, http.StatusPreconditionFailed, "ConditionNotMet")
			return
		}
		content, ok := string(body), true
		if comp == "blocklist" {
			content, ok = s.assemble(r.URL.Path, body)
		}
		if !ok {
			fail(w, http.StatusBadRequest, "InvalidBlockList")
			return
		}
		b := Blob{content, r.Header.Get("x-ms-blob-content-type"), map[string]string{}, ""}
		for key := range r.Header {
			if key, ok := strings.CutPrefix(strings.ToLower(key), "x-ms-meta-"); ok {
				if strings.Contains(key, "-") { // keys must be identifiers of C#
					fail(w, http.StatusBadRequest, "InvalidMetadata")
					return
				}
				b.Metadata[key] = r.Header.Get("x-ms-meta-" + key)
			}
		}
		w.Header().Set("ETag", quoted(s.put(container, name, b)))
		w.WriteHeader(http.StatusCreated)
	case !exists:
		fail(w, http.StatusNotFound, "BlobNotFound")
	case r.Header.Get("If-Match") != "" && r.Header.Get("If-Match") != quoted(b.etag):
		fail(w, http.StatusPreconditionFailed, "ConditionNotMet")
	case r.Method == http.MethodDelete:
		delete(blobs, name)
		w.WriteHeader(http.StatusAccepted)
	default:
		for key, value := range b.Metadata {
			w.Header().Set("x-ms-meta-"+key, value)
		}
		w.Header().Set("ETag", quoted(b.etag))
		w.Header().Set("Content-Type", b.ContentType)
		if r.Header.Get("x-ms-range") != "" {
			r.Header.Set("Range", r.Header.Get("x-ms-range"))
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(b.Content))
	}
}

func quoted(etag string) string { return `"` + etag + `"` }

func fail(w http.ResponseWriter, status int, code string) {
	w.Header().Set("x-ms-error-code", code)
	w.WriteHeader(status)
	io.WriteString(w, Failure(code))
}

// assemble returns what a list of blocks stands for.
func (s *Store) assemble(path string, list []byte) (string, bool) {
	var ids struct {
		Latest []string
	}
	if xml.Unmarshal(list, &ids) != nil {
		return "", false
	}
	var content strings.Builder
	for _, id := range ids.Latest {
		block, ok := s.staged[path+" "+id]
		if !ok {
			return "", false
		}
		content.WriteString(block)
	}
	return content.String(), true
}

type listing struct {
	XMLName    xml.Name `xml:"EnumerationResults"`
	Blobs      []listed `xml:"Blobs>Blob"`
	NextMarker string
}

type listed struct {
	Name       string
	Properties struct {
		Size     int    `xml:"Content-Length"`
		Etag     string // without quotes
		BlobType string
	}
	Metadata *metadata
}

type metadata struct{ Entries []entry }

type entry struct {
	XMLName xml.Name
	Value   string `xml:",chardata"`
}

// serveList returns at most 1000 blobs at once, where Azure returns 5000.
func (s *Store) serveList(w http.ResponseWriter, container, prefix, marker, most, include string) {
	limit, err := strconv.Atoi(most)
	if err != nil || limit > 1000 {
		limit = 1000
	}
	var page listing
	for _, name := range s.list(container, prefix) {
		if name < marker {
			continue
		}
		if len(page.Blobs) == limit {
			page.NextMarker = name
			break
		}
		b := s.containers[container][name]
		l := listed{Name: name}
		l.Properties.Size, l.Properties.Etag, l.Properties.BlobType = len(b.Content), b.etag, "BlockBlob"
		if strings.Contains(include, "metadata") {
			l.Metadata = &metadata{}
			for key, value := range b.Metadata {
				l.Metadata.Entries = append(l.Metadata.Entries, entry{xml.Name{Local: key}, value})
			}
		}
		page.Blobs = append(page.Blobs, l)
	}
	w.Header().Set("Content-Type", "application/xml")
	io.WriteString(w, xml.Header)
	xml.NewEncoder(w).Encode(page)
}
