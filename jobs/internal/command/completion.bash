
# Divides the line up to the cursor into words like _init_completion -n =: of the package
# bash-completion, for shells without it: bash itself also divides at = and :, which are parts of
# words here.
__NAME_init_completion()
{
    local i word blank line=${COMP_LINE:0:COMP_POINT}
    COMPREPLY=() words=() cword=-1
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blank=${line%%[![:blank:]]*}
        line=${line#"$blank"}
        word=${COMP_WORDS[i]}
        ((i == COMP_CWORD)) && word=$line
        line=${line#"$word"}
        if [[ -z $blank && $cword -ge 0 ]]; then
            words[cword]+=$word
        else
            words[++cword]=$word
        fi
    done
    cur=${words[cword]}
}
