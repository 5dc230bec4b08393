import { UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import { useCommands } from "../ui/command-context.tsx";
import classes from "./setup.module.css";

interface ChoiceProps {
  readonly label: string;
  readonly hint?: string;
  readonly icon?: ReactNode;
  readonly lang?: string;
  /** Of several where one is in use; leave it out where pressing leads on. */
  readonly chosen?: boolean;
  readonly choose: () => void;
}

/** One of a few large choices. */
export const Choice = ({ label, hint, icon, lang, chosen, choose }: ChoiceProps) => {
  const commands = useCommands();
  return (
    <UnstyledButton
      className={classes.choice}
      lang={lang}
      aria-pressed={chosen}
      onClick={(press) => commands.locally(press, choose)}
    >
      {icon}
      <span>
        <strong>{label}</strong>
        {hint && <span>{hint}</span>}
      </span>
    </UnstyledButton>
  );
};
