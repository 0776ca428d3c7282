"""`hopscope completion`, and the completions of a shell: scenarios, paths and values."""

from collections.abc import Sequence

import click
from click.shell_completion import CompletionItem, get_completion_class

from hopscope.cli.terminal import show, show_json

_SHELLS = ("bash", "zsh", "fish")


@click.command("completion", short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.option("--json", "as_json", is_flag=True, help="Print the script as a JSON string.")
def command(shell: str, as_json: bool) -> int:
    """Print the shell completion script: it completes commands, scenarios, paths and values.

    bash: eval "$(hopscope completion bash)" in ~/.bashrc; zsh: the same in ~/.zshrc; fish: hopscope
    completion fish > ~/.config/fish/completions/hopscope.fish
    """
    from hopscope.cli.entry import program

    made = get_completion_class(shell)
    assert made is not None, "click knows the three shells"
    script = made(program, {}, "hopscope", "_HOPSCOPE_COMPLETE").source()
    if as_json:
        show_json({"shell": shell, "script": script})
    else:
        show(script)
    return 0


def ready_names(_: click.Context, __: click.Parameter, typed: str) -> list[CompletionItem]:
    """The ready scenarios that begin with the typed text."""
    from hopscope import simulation

    return [
        CompletionItem(name, help=title)
        for name, _, title in simulation.scenarios()
        if name.startswith(typed)
    ]


def scenarios(ctx: click.Context, param: click.Parameter, typed: str) -> list[CompletionItem]:
    """The ready scenarios that begin with the typed text, and files."""
    return [*ready_names(ctx, param, typed), CompletionItem(typed, type="file")]


def settings(ctx: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem]:
    """For PATH=VALUE the paths that begin with the typed text, with meanings; after `=` the values."""
    from hopscope.scenario_fields import fields

    path, equals, _value = typed.partition("=")
    model = _model_of([ctx.params.get("source"), *ctx.args])
    if equals:
        found = (field for field in fields(model) if field.path == path)
        return [CompletionItem(f"{path}={choice}") for field in found for choice in field.choices]
    return [
        CompletionItem(f"{field.path}=", help=field.meaning)
        for field in fields(model)
        if field.path.startswith(typed)
    ]


def _model_of(words: Sequence[str | None]) -> str | None:
    """The model of the first ready scenario among the words of the line.

    If an option still lacks its value, the line is not parsed, and only its words are used.
    """
    from hopscope import simulation

    models = {name: model for name, model, _ in simulation.scenarios()}
    return next((models[word] for word in words if word in models), None)
