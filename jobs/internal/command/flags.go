package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/beameval/beameval/io/quote"
	"github.com/beameval/beameval/jobs/internal/terminal"
)

// titled is the annotation of a flag with its title in the help.
const titled = "title"

// libraries is the title of flags that libraries define. They have a help of their own, which
// helpRunner prints.
const (
	libraries  = "Flags of Beam and its runners"
	helpRunner = "help_runner"
)

// helpTitle is the title of the flags that print help.
const helpTitle = "Help"

// AddFlags adds flags to a command, under a title in its help.
func AddFlags(c *cobra.Command, title string, add func(*pflag.FlagSet)) {
	set := pflag.NewFlagSet(title, pflag.ContinueOnError)
	set.SortFlags = false
	add(set)
	set.VisitAll(func(f *pflag.Flag) {
		f.Annotations = map[string][]string{titled: {title}}
		once(f)
	})
	c.Flags().SortFlags = false
	c.Flags().SetNormalizeFunc(underscored)
	c.Flags().AddFlagSet(set)
}

// underscored lets users write --print-config for --print_config. Beam's flags have underscores.
func underscored(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	return pflag.NormalizedName(strings.ReplaceAll(name, "-", "_"))
}

// AddBeamFlags adds the flags that Beam has defined for the process to a command. Those in ours
// come first, under a title of their own.
func AddBeamFlags(c *cobra.Command, title string, ours []Explained) {
	own := make(map[string]bool)
	AddFlags(c, title, func(set *pflag.FlagSet) {
		for _, f := range ours {
			own[f.Name] = true
			of := flag.Lookup(f.Name)
			set.AddFlag(beamFlag(of))
			set.Lookup(f.Name).Usage = f.Usage
		}
	})
	AddFlags(c, libraries, func(set *pflag.FlagSet) {
		flag.VisitAll(func(f *flag.Flag) {
			if !own[f.Name] {
				set.AddFlag(beamFlag(f))
			}
		})
		for _, name := range ofWorkers {
			_ = set.MarkHidden(name) // they are there
		}
	})
	AddFlags(c, helpTitle, func(set *pflag.FlagSet) {
		set.BoolFunc(helpRunner, "print the flags of Beam and its runners, such as those of Dataflow", func(string) error {
			return c.Flags().Set("help", "true")
		})
	})
}

// Explained is a flag of Beam that this program's help explains.
type Explained struct{ Name, Usage string }

// ofWorkers lists flags that Beam passes to the workers that it starts, and that nobody else uses.
var ofWorkers = []string{"worker", "id", "logging_endpoint", "control_endpoint", "semi_persist_dir", "options"}

// beamFlag adapts a flag of the flag package to a command. Beam checks which flags of that package
// were set.
func beamFlag(f *flag.Flag) *pflag.Flag {
	adapted := pflag.PFlagFromGoFlag(f)
	adapted.Value = &beamValue{adapted.Value, f.Name}
	return adapted
}

type beamValue struct {
	pflag.Value
	name string
}

// Set sets the flag in the flag package.
func (v *beamValue) Set(text string) error { return flag.Set(v.name, text) }

// explainFlag explains a wrong flag of a command.
func explainFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		if written := unknown.GetSpecifiedShortnames(); written != "" {
			name, _, _ := strings.Cut(written, "=")
			return unknownFlag(c, "-", name)
		}
		return unknownFlag(c, "--", unknown.GetSpecifiedName())
	case errors.As(err, &wrong):
		err = errors.Unwrap(err)
		if number := (*strconv.NumError)(nil); errors.As(err, &number) {
			err = number.Err
		}
		err = fmt.Errorf("--%s: %s: %w", wrong.GetFlag().Name, quote.Value(wrong.GetValue()), err)
	}
	return fmt.Errorf("%w; --help says what flags expect", err)
}

// checkDashes returns an error if a long flag has only one dash, as Go's flags may: -input would be
// the flag -i with the value nput.
func checkDashes(c *cobra.Command, args []string) error {
	for _, arg := range args {
		if arg == "--" {
			return nil
		}
		name, dash := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(name, "=")
		if f := c.Flags().Lookup(name); dash && len(name) > 1 && f != nil && !f.Hidden {
			return unknownFlag(c, "-", name)
		}
	}
	return nil
}

// unknownFlag suggests which flag was probably meant: a flag of Beam only if no flag of this
// program is similar.
func unknownFlag(c *cobra.Command, dashes, name string) error {
	if c.HasSubCommands() {
		return fmt.Errorf("unknown flag %s%s; flags follow a command: there are %s; --help explains them", dashes, name, list(c))
	}
	var ours, theirs []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden:
		case f.Annotations[titled][0] == libraries:
			theirs = append(theirs, f.Name)
		default:
			ours = append(ours, f.Name)
		}
	})
	near := quote.Slip(name, ours)
	if near == "" {
		near = quote.Slip(name, theirs)
	}
	if dashes == "-" && (c.Flags().Lookup(name) != nil) {
		near = name
	}
	lists := "--help lists all"
	if len(theirs) > 0 {
		lists = "--help and --help-runner list all"
	}
	if near == "" {
		return fmt.Errorf("unknown flag %s%s; %s", dashes, name, lists)
	}
	return fmt.Errorf("unknown flag %s%s; did you mean --%s? %s", dashes, name, near, lists)
}

// help prints the help of a command: this program's flags or, with helpRunner, the libraries'
// flags.
func help(c *cobra.Command, _ []string) {
	out := c.OutOrStdout()
	width := max(leastWidth, min(mostWidth, terminal.Width(out)))
	titles, sets := byTitle(c)
	if c.Flags().Changed(helpRunner) {
		fmt.Fprintf(out, "%s:\n", libraries)
		sets[libraries].VisitAll(func(f *pflag.Flag) { printLong(out, f, width) })
		return
	}
	fmt.Fprintf(out, "%s\n\nUsage:\n  %s\n", strings.TrimSpace(c.Long), usage(c))
	if c.Example != "" {
		fmt.Fprintf(out, "\nExamples:\n%s\n", strings.TrimRight(c.Example, "\n"))
	}
	if c.HasSubCommands() {
		fmt.Fprintln(out, "\nCommands:")
		for _, verb := range c.Commands() {
			if !verb.Hidden {
				fmt.Fprintf(out, "  %-12s%s\n", verb.Name(), verb.Short)
			}
		}
	}
	for _, title := range titles {
		if title != libraries {
			fmt.Fprintf(out, "\n%s:\n%s", title, sets[title].FlagUsagesWrapped(width))
		}
	}
}

// byTitle returns the flags of a command by their titles, and the titles in order.
func byTitle(c *cobra.Command) (titles []string, sets map[string]*pflag.FlagSet) {
	sets = make(map[string]*pflag.FlagSet)
	c.Flags().VisitAll(func(f *pflag.Flag) {
		title := f.Annotations[titled][0]
		if sets[title] == nil {
			titles = append(titles, title)
			sets[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
			sets[title].SortFlags = false
		}
		sets[title].AddFlag(f)
	})
	return titles, sets
}

// printLong prints the help of a flag with a long name.
func printLong(out io.Writer, f *pflag.Flag, width int) {
	if f.Hidden {
		return
	}
	argument, usage := pflag.UnquoteUsage(f)
	fmt.Fprintf(out, "  --%s\n", strings.TrimSpace(f.Name+" "+argument))
	for line := range strings.Lines(text.WrapSoft(usage, width-len(margin))) {
		fmt.Fprintln(out, margin+strings.TrimSpace(line))
	}
}

const margin = "          "

// Limits of the width of help.
const (
	leastWidth = 40
	mostWidth  = 80
)

// usage returns the line that shows a command with its arguments.
func usage(c *cobra.Command) string {
	if c.HasParent() {
		return c.Parent().CommandPath() + " " + c.Use
	}
	return c.Use
}
