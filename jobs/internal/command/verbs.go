package command

import (
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
	"github.com/spf13/cobra"

	"github.com/beameval/beameval/internal/version"
	"github.com/beameval/beameval/io/quote"
)

// Join returns a command whose verbs are the given commands, as well as help, completion and
// version.
func Join(name, about string, verbs ...*cobra.Command) *cobra.Command {
	cobra.EnableCommandSorting = false // keep the order of the verbs
	c := &cobra.Command{
		Use:               name + " COMMAND",
		Long:              about,
		Args:              cobra.ArbitraryArgs, // RunE explains what is wrong with them
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("no command: there are %s; --help explains them", list(c))
			}
			return unknownVerb(c, args[0])
		},
	}
	c.Flags().SetInterspersed(false) // the flags after an unknown verb are not judged
	c.AddCommand(verbs...)
	c.AddCommand(completion())
	c.AddCommand(&cobra.Command{
		Use: "version", Short: "print versions and the revision", Long: "Prints the versions of beameval, Go and Beam, and the revision.", Args: noArgs,
		Run: func(c *cobra.Command, _ []string) { fmt.Fprint(c.OutOrStdout(), versionText()) },
	})
	helper := &cobra.Command{
		Use: "help [COMMAND]", Short: "print the help of a command", Long: "Prints the help of a command.",
		ValidArgsFunction: func(_ *cobra.Command, args []string, before string) (found []string, _ cobra.ShellCompDirective) {
			for _, name := range names(c) {
				if len(args) == 0 && strings.HasPrefix(name, before) {
					found = append(found, name)
				}
			}
			return found, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			verb, rest, err := c.Find(args)
			if err != nil || verb == c && len(rest) > 0 {
				return unknownVerb(c, args[0])
			}
			return verb.Help()
		},
	}
	c.AddCommand(helper)
	c.SetHelpCommand(helper)
	return c
}

// noArgs returns an error if a command is given arguments.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %s", quote.Value(args[0]))
	}
	return nil
}

func unknownVerb(c *cobra.Command, name string) error {
	return fmt.Errorf("unknown command %s%s There are %s; --help explains them", quote.Value(name), quote.Meant(name, names(c)), list(c))
}

// names returns the names of all verbs.
func names(c *cobra.Command) (all []string) {
	for _, verb := range c.Commands() {
		if !verb.Hidden {
			all = append(all, verb.Name())
		}
	}
	return all
}

func list(c *cobra.Command) string {
	all := names(c)
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// versionText describes this build.
func versionText() string {
	b := version.Get()
	text := "beameval " + b.Version + "\n"
	if b.Revision != "" {
		text += "revision " + b.Revision
		if b.Modified {
			text += ", with changes"
		}
		text += "\n"
	}
	return text + "go " + strings.TrimPrefix(b.Go, "go") + "\nbeam " + core.SdkVersion + "\n"
}
