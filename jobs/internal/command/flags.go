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

// libraries is the title of flags that libraries define.
const libraries = "Flags of Beam and its runners"

// AddFlags adds flags to a command, under a title in its help.
func AddFlags(c *cobra.Command, title string, add func(*pflag.FlagSet)) {
	set := pflag.NewFlagSet(title, pflag.ContinueOnError)
	set.SortFlags = false
	add(set)
	set.VisitAll(func(f *pflag.Flag) { f.Annotations = map[string][]string{titled: {title}} })
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
		return unknownFlag(c, unknown)
	case errors.As(err, &wrong):
		err = errors.Unwrap(err)
		if number := (*strconv.NumError)(nil); errors.As(err, &number) {
			err = number.Err
		}
		err = fmt.Errorf("--%s: %s: %w", wrong.GetFlag().Name, quote.Value(wrong.GetValue()), err)
	}
	return fmt.Errorf("%w; --help says what flags expect", err)
}

// unknownFlag suggests which flag was probably meant: a flag of Beam only if no flag of this
// program is similar.
func unknownFlag(c *cobra.Command, err *pflag.NotExistError) error {
	dashes, name := "--", err.GetSpecifiedName()
	if written := err.GetSpecifiedShortnames(); written != "" {
		dashes = "-"
		name, _, _ = strings.Cut(written, "=")
	}
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
	if near == "" {
		return fmt.Errorf("unknown flag %s%s; --help lists all", dashes, name)
	}
	return fmt.Errorf("unknown flag %s%s; did you mean --%s? --help lists all", dashes, name, near)
}

// help prints the help of a command: the flags of this program first, those of libraries below.
func help(c *cobra.Command, _ []string) {
	out := c.OutOrStdout()
	width := max(leastWidth, min(mostWidth, terminal.Width(out)))
	fmt.Fprintf(out, "%s\n\nUsage:\n  %s\n", strings.TrimSpace(c.Long), usage(c))
	if c.HasSubCommands() {
		fmt.Fprintln(out, "\nCommands:")
		for _, verb := range c.Commands() {
			if !verb.Hidden {
				fmt.Fprintf(out, "  %-12s%s\n", verb.Name(), verb.Short)
			}
		}
	}
	var titles []string
	sets := make(map[string]*pflag.FlagSet)
	c.Flags().VisitAll(func(f *pflag.Flag) {
		title := f.Annotations[titled][0]
		if sets[title] == nil {
			titles = append(titles, title)
			sets[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
			sets[title].SortFlags = false
		}
		sets[title].AddFlag(f)
	})
	for _, title := range titles {
		if title != libraries {
			fmt.Fprintf(out, "\n%s:\n%s", title, sets[title].FlagUsagesWrapped(width))
		}
	}
	if set := sets[libraries]; set != nil {
		fmt.Fprintf(out, "\n%s:\n", libraries)
		set.VisitAll(func(f *pflag.Flag) { printLong(out, f, width) })
	}
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
