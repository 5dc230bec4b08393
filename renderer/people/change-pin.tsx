/** Changes one's own PIN by the old one; it needs no manager. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { pinLengths } from "../../preload/choices.ts";
import type { Command, PersonView, Reply } from "../../preload/contract.ts";
import { NewPin, WhoField } from "./new-pin.tsx";
import classes from "./people.module.css";

interface ChangePinProps {
  readonly people: readonly PersonView[];
  readonly dispatch: (command: Command) => Promise<Reply>;
  readonly done: () => void;
}

/** Asks who it is, for the old PIN, and for the new one twice. */
export const ChangePin = ({ people, dispatch, done }: ChangePinProps) => {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState(people[0]?.code ?? "");
  const person = people.find(({ code }) => code === chosen) ?? people[0];
  const save = async (newPin: string, pin: string): Promise<Reply> => {
    const reply = await dispatch({ type: "change_pin", person: person?.code ?? "", pin, newPin });
    if (reply.ok) done();
    return reply;
  };
  return (
    <>
      <p className={classes.next}>{t("people.changePinNext", { name: person?.name })}</p>
      <NewPin asksOld min={pinLengths[person?.role ?? "manager"]} save={save}>
        <WhoField label={t("people.who")} people={people} value={person?.code ?? ""} change={setChosen} />
      </NewPin>
    </>
  );
};
