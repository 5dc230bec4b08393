/** On-screen keys with exactly the characters that codes may hold. */
import { UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./keypad.module.css";

const codeCharacters = "1234567890ABCDEFGHJKMNPQRSTVWXYZ";
const allCharacters = "1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ";

interface KeypadProps {
  /** Ids of another network may hold the letters that ours leave out. */
  readonly withAllLetters: boolean;
  readonly press: (character: string) => void;
  readonly erase: () => void;
  readonly eraseIcon: ReactNode;
}

/** The keys on the screen. */
export const Keypad = ({ withAllLetters, press, erase, eraseIcon }: KeypadProps) => {
  const { t } = useTranslation();
  return (
    <fieldset className={classes.keypad} aria-label={t("entry.keypad")}>
      {[...(withAllLetters ? allCharacters : codeCharacters)].map((character) => (
        <UnstyledButton
          key={character}
          className={classes.key}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => press(character)}
        >
          {character}
        </UnstyledButton>
      ))}
      <UnstyledButton
        className={classes.key}
        data-erase
        aria-label={t("entry.erase")}
        onPointerDown={(event) => event.preventDefault()}
        onClick={erase}
      >
        {eraseIcon}
      </UnstyledButton>
    </fieldset>
  );
};
