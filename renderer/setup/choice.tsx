import { UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import { useCommands } from "../ui/command-context.tsx";
import classes from "./setup.module.css";

interface ChoiceProps {
  readonly label: string;
  readonly hint?: string;
  readonly icon?: ReactNode;
  readonly lang?: string;
  /** Whether it is the one in use; leave it out where a press opens the next step. */
  readonly chosen?: boolean;
  readonly choose: () => void;
}

/** A large button for one of a few choices. */
export const Choice = ({ label, hint, icon, lang, chosen, choose }: ChoiceProps) => {
  const commands = useCommands();
  return (
    <UnstyledButton
      className={classes.choice}
      lang={lang}
      aria-pressed={chosen}
      onClick={(press) => commands.runLocally(press, choose)}
    >
      {icon}
      <span>
        <strong>{label}</strong>
        {hint && <span>{hint}</span>}
      </span>
    </UnstyledButton>
  );
};
