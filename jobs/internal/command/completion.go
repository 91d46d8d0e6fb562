package command

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/beameval/beameval/io/quote"
)

// completion returns the command that prints a completion script for a shell.
func completion() *cobra.Command {
	shells := []string{"bash", "zsh", "fish"}
	return &cobra.Command{
		Use: "completion SHELL", Short: "print a script for completion in bash, zsh or fish",
		Long: `Prints a script that completes commands, flags, metrics and runners in bash,
zsh or fish. To load it into a shell:

  source <(beameval completion bash)
  source <(beameval completion zsh)         # after compinit
  beameval completion fish | source`,
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("expected one shell: bash, zsh or fish")
			}
			root, out := c.Root(), c.OutOrStdout()
			switch args[0] {
			case "bash":
				return Exit(Failed, bash(root, out))
			case "zsh":
				return Exit(Failed, root.GenZshCompletion(out))
			case "fish":
				return Exit(Failed, root.GenFishCompletion(out, true))
			}
			return fmt.Errorf("unknown shell %s: expected bash, zsh or fish", quote.Value(args[0]))
		},
	}
}

//go:embed completion.bash
var words string

// bash prints the script for bash: cobra's script, which needs the package bash-completion to
// divide the line into words, and a function that does so without it.
func bash(root *cobra.Command, out io.Writer) error {
	if err := root.GenBashCompletionV2(out, true); err != nil {
		return err
	}
	_, err := io.WriteString(out, strings.ReplaceAll(words, "NAME", root.Name()))
	return err
}
