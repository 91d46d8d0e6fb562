package conformance

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Oracle says what other libraries read in a file.
type Oracle func(file, format string) ([]Answer, error)

// Answer is what one library reads.
type Answer struct {
	By      string // the library and its version
	Refused string // why it does not read the file; empty if it does
	Columns []Column
}

// Column has the values of a leaf by row: nil, a bool, a json.Number, a string in which each byte is a rune, or a list of these.
type Column struct {
	Path   string
	Values []any
}

//go:embed oracle.py
var script string

// oracleTime is how long a library may take for a file.
const oracleTime = 2 * time.Minute

// Python is an [Oracle] that asks libraries of Python. Damaged files can end its process; then it starts another one.
type Python struct {
	Program string // such as python3
	process *exec.Cmd
	in      io.WriteCloser
	answers chan []byte // lines; closed when the process ends
}

// Ask is an [Oracle].
func (p *Python) Ask(file, format string) ([]Answer, error) {
	if err := p.start(); err != nil {
		return nil, err
	}
	question, err := json.Marshal(map[string]string{"file": file, "format": format})
	if err != nil {
		return nil, err
	}
	if _, err := p.in.Write(append(question, '\n')); err != nil {
		return nil, err
	}
	select {
	case line, ok := <-p.answers:
		if ok {
			return decodeAnswers(line)
		}
		return p.ended("ended without an answer")
	case <-time.After(oracleTime):
		return p.ended("took too long")
	}
}

func decodeAnswers(line []byte) (answers []Answer, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	return answers, d.Decode(&answers)
}

func (p *Python) start() error {
	if p.process != nil {
		return nil
	}
	process := exec.Command(p.Program, "-c", script)
	var said bytes.Buffer
	process.Stderr = &said
	in, err := process.StdinPipe()
	if err != nil {
		return err
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return fmt.Errorf("the oracle: %w", err)
	}
	p.process, p.in, p.answers = process, in, make(chan []byte)
	go func(answers chan<- []byte) {
		defer close(answers)
		for r := bufio.NewReaderSize(out, 1<<20); ; {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			answers <- line
		}
	}(p.answers)
	if _, err := p.version(); err != nil {
		return fmt.Errorf("the oracle: %w\n%s", err, said.Bytes())
	}
	return nil
}

// version asks for a file that is not there, to see that all libraries are.
func (p *Python) version() (by string, err error) {
	if _, err := io.WriteString(p.in, `{"file": "", "format": "parquet"}`+"\n"); err != nil {
		return "", err
	}
	line, ok := <-p.answers
	if !ok {
		return "", errors.New("it ended at once")
	}
	answers, err := decodeAnswers(line)
	for _, a := range answers {
		by += a.By + " "
	}
	return by, err
}

// ended ends the process, and is the answer to what it was asked last.
func (p *Python) ended(how string) ([]Answer, error) {
	p.Close()
	return []Answer{{By: "the oracle", Refused: how}}, nil
}

// Close ends the process.
func (p *Python) Close() {
	if p.process == nil {
		return
	}
	p.in.Close()
	p.process.Process.Kill()
	for range p.answers { // so that its goroutine ends
	}
	p.process.Wait()
	p.process = nil
}
