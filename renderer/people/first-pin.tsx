/** The manager's first PIN: a name, and the PIN twice. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { pinLengths } from "../../preload/choices.ts";
import type { Reply } from "../../preload/contract.ts";
import { NewPin, TextField } from "./new-pin.tsx";

interface FirstPinProps {
  readonly save: (name: string, pin: string) => Promise<Reply>;
}

/** Asks for name and PIN until the host takes them. */
export const FirstPin = ({ save }: FirstPinProps) => {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  return (
    <NewPin
      min={pinLengths.manager}
      missing={() => (name.trim() === "" ? t("people.nameMissing") : null)}
      save={(pin) => save(name.trim(), pin)}
    >
      <TextField id="person-name" label={t("people.name")} value={name} change={setName} />
    </NewPin>
  );
};
