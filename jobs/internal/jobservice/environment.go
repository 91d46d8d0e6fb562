package jobservice

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// Environment is where the workers of a job run.
type Environment struct {
	Type   string // one of the types below
	Config string
	Kept   time.Duration // how long the runner keeps a worker that has nothing to do; 0: its own default
}

// The types of environments, by their names in Beam.
const (
	Docker   = "DOCKER"   // a container for each worker
	Process  = "PROCESS"  // a process for each worker
	Loopback = "LOOPBACK" // in the submitting process
	External = "EXTERNAL" // a pool of workers that was started before
)

var environments = []string{Docker, Process, Loopback, External}

// NewEnvironment validates the values of --environment_type and --environment_config. An empty type
// means DOCKER.
func NewEnvironment(kind, config string) (Environment, error) {
	e := Environment{Type: strings.ToUpper(kind), Config: config}
	if kind == "" {
		e.Type = Docker
	}
	switch {
	case !slices.Contains(environments, e.Type):
		return e, fmt.Errorf("--environment_type: unknown type %q; there are %s", kind, strings.Join(environments, ", "))
	case e.Type == Docker && config == "":
		e.Config = core.DefaultDockerImage
	case e.Type == Process:
		return e, checkProcess(config)
	case e.Type == External:
		return e, checkExternal(config)
	}
	return e, nil
}

// checkProcess validates the configuration of PROCESS.
func checkProcess(config string) error {
	const example = `set it to the command that starts a worker, for example --environment_config '{"command": "/opt/beameval/beameval"}'`
	if config == "" {
		return errors.New("environment type PROCESS needs --environment_config: " + example)
	}
	var process pipepb.ProcessPayload
	if err := protojson.Unmarshal([]byte(config), &process); err != nil {
		return fmt.Errorf("--environment_config: expected JSON, got %q; %s", config, example)
	}
	if process.GetCommand() == "" {
		return fmt.Errorf(`--environment_config: no "command" in %q; %s`, config, example)
	}
	return nil
}

// checkExternal validates the configuration of EXTERNAL.
func checkExternal(config string) error {
	const example = "set it to the address of the worker pool, for example --environment_config localhost:50000"
	if config == "" {
		return errors.New("environment type EXTERNAL needs --environment_config: " + example)
	}
	if _, _, err := net.SplitHostPort(config); err != nil {
		return fmt.Errorf("--environment_config: expected HOST:PORT, got %q; %s", config, example)
	}
	return nil
}

// urn returns Beam's identifier of the type.
func (e Environment) urn() string {
	switch e.Type {
	case Process:
		return graphx.URNEnvProcess
	case Loopback, External:
		return graphx.URNEnvExternal
	}
	return graphx.URNEnvDocker
}

// Remote reports whether workers are other processes, which need a worker binary.
func (e Environment) Remote() bool { return e.Type != Loopback }
