/** A day as the shop's language writes it, typed or picked: a browser's own field would write it as the system does. */

import { TextInput, UnstyledButton } from "@mantine/core";
import { IconCalendar } from "@tabler/icons-react";
import { t } from "i18next";
import { useEffect, useRef, useState } from "react";
import classes from "./date-field.module.css";
import { dayText, typedDay } from "./format.ts";

interface DateFieldProps {
  readonly label: string;
  /** A name for screen readers alone. */
  readonly isLabelHidden?: boolean;
  /** `2026-11-22`; empty: none. */
  readonly value: string;
  /** With a whole day, or with nothing where the field was emptied. */
  readonly change: (day: string) => void;
}

/** The field, with the browser's calendar behind its button. */
export const DateField = ({ label, isLabelHidden = false, value, change }: DateFieldProps) => {
  const shown = value === "" ? "" : dayText(value, "numeric");
  const [text, setText] = useState(shown);
  // What is being typed stays as it is while it means this day: the caret would jump.
  useEffect(() => setText((now) => (typedDay(now) === value ? now : shown)), [shown, value]);
  const calendar = useRef<HTMLInputElement>(null);
  const day = typedDay(text);
  return (
    <TextInput
      {...(isLabelHidden ? { "aria-label": label } : { label })}
      placeholder={t("history.datePattern")}
      autoComplete="off"
      value={text}
      error={day === null && text.length >= "22.11.2026".length}
      onChange={({ currentTarget: { value: typed } }) => {
        setText(typed);
        const next = typed === "" ? "" : typedDay(typed);
        if (next !== null && next !== value) change(next);
      }}
      onBlur={() => setText(shown)}
      classNames={{ input: classes.field }}
      rightSectionWidth={40}
      rightSection={
        <>
          <input
            ref={calendar}
            type="date"
            className={classes.calendar}
            aria-hidden
            tabIndex={-1}
            value={value}
            onChange={(event) => change(event.currentTarget.value)}
          />
          <UnstyledButton
            className={classes.open}
            aria-label={t("history.calendar", { label })}
            onClick={() => calendar.current?.showPicker()}
          >
            <IconCalendar aria-hidden />
          </UnstyledButton>
        </>
      }
    />
  );
};
