/** A manager's PIN by the operator's one-time code: for one that was forgotten, or when nobody is known any more. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { pinLengths } from "../../preload/choices.ts";
import type { Command, PeopleView, Reply } from "../../preload/contract.ts";
import { NewPin, TextField, WhoField } from "./new-pin.tsx";
import classes from "./people.module.css";

interface ResetPinProps {
  readonly people: PeopleView;
  readonly dispatch: (command: Command) => Promise<Reply>;
}

/** Asks for code and PIN, and for a name where no manager is known. */
export const ResetPin = ({ people, dispatch }: ResetPinProps) => {
  const { t } = useTranslation();
  const managers = people.list.filter(({ role }) => role === "manager");
  const [person, setPerson] = useState(managers[0]?.code ?? null);
  const [name, setName] = useState("");
  const [code, setCode] = useState("");
  const isGone = people.managers === "lost" || people.managers === "unreadable";
  const missing = (): string | null => {
    if (code.trim() === "") return t("people.codeMissing");
    return person === null && name.trim() === "" ? t("people.nameMissing") : null;
  };
  const save = (pin: string): Promise<Reply> => {
    const who = person === null ? ({ kind: "new", name: name.trim() } as const) : ({ kind: "known", person } as const);
    return dispatch({ type: "reset_manager", code: code.trim(), who, pin });
  };
  return (
    <>
      <p className={classes.next}>
        {isGone && `${t(`people.${people.managers}`)} `}
        {t("people.resetNext")}
      </p>
      <NewPin
        min={pinLengths.manager}
        missing={missing}
        save={save}
        sentences={{
          denied: t("people.codeDenied"),
          unreachable: t("people.codeUnchecked"),
          wait: t("people.codeWait"),
        }}
      >
        <TextField id="reset-code" label={t("people.code")} value={code} change={setCode} />
        {person === null ? (
          <TextField id="person-name" label={t("people.name")} value={name} change={setName} />
        ) : (
          <WhoField label={t("people.who")} people={managers} value={person} change={setPerson} />
        )}
      </NewPin>
    </>
  );
};
