/** The actions of a screen: the main one always bottom right in one size, the second always bottom left. */
import { Loader, UnstyledButton } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";
import type { Command } from "../../preload/contract.ts";
import classes from "./action-bar.module.css";
import { useCommands } from "./command-context.tsx";
import { type Shortcut, shortcutText } from "./shortcuts.ts";
import { useKeys } from "./use-keys.ts";

interface ActionBase {
  readonly label: string;
  readonly icon?: Icon;
  /** Default: the shortcut of its place. */
  readonly shortcut?: Shortcut;
  readonly enabled?: boolean;
  /** A main action that needs a second thought: it looks like the others, and Enter does not press it. */
  readonly isPlain?: boolean;
}

/** An action sends a command for the current step, or does something on this page alone. */
export type Action = ActionBase & ({ readonly command: Command } | { readonly run: () => void });

/** What a screen offers, by place. */
export interface Actions {
  readonly main?: Action;
  readonly second?: Action;
  readonly third?: Action;
}

type Place = keyof Actions;

const ActionButton = ({ action, place }: { readonly action: Action; readonly place: Place }) => {
  const commands = useCommands();
  const isPending = "command" in action && commands.pending === action.command.type;
  const isOpen = (action.enabled ?? true) && commands.pending === null && commands.armed;
  const act = (press: { readonly timeStamp: number }): void => {
    if (action.enabled === false) return;
    if ("command" in action) commands.send(press, action.command);
    else commands.runLocally(press, action.run);
  };
  const Sign = action.icon;
  const isMain = place === "main" && !action.isPlain;
  const shortcut = action.shortcut ?? (action.isPlain ? "mainDeliberate" : place);
  useKeys(shortcut, act);
  return (
    <UnstyledButton
      className={classes.action}
      data-place={place}
      data-main={isMain || undefined}
      data-off={action.enabled === false || undefined}
      data-busy={(commands.pending !== null && !isPending) || commands.held || undefined}
      aria-disabled={!isOpen}
      aria-busy={isPending}
      // A press that was ignored as too early must not leave the focus here, where Enter would repeat it.
      onMouseDown={(event) => event.preventDefault()}
      onClick={act}
    >
      <span className={classes.label}>
        {isPending ? (
          <Loader size={30} color="currentColor" />
        ) : (
          Sign && <Sign size={isMain ? 38 : 30} stroke={2.3} aria-hidden />
        )}
        <span>{action.label}</span>
      </span>
      <span className={classes.keys} aria-hidden>
        {shortcutText(shortcut)}
      </span>
    </UnstyledButton>
  );
};

/** The buttons at the bottom. @param gives cash goes out on this screen, so the main button is green. */
export const ActionBar = ({ actions, gives }: { readonly actions: Actions; readonly gives: boolean }) => (
  <div className={classes.bar} data-region="actions" data-gives={gives || undefined}>
    {actions.second && <ActionButton action={actions.second} place="second" />}
    {actions.third && <ActionButton action={actions.third} place="third" />}
    {actions.main && <ActionButton action={actions.main} place="main" />}
  </div>
);
