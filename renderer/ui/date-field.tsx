/** A day as the shop's language writes it, typed or picked: a browser's own field would write it as the system does. */
import { ActionIcon, Box, TextInput } from "@mantine/core";
import { IconCalendar } from "@tabler/icons-react";
import { t } from "i18next";
import { useEffect, useRef, useState } from "react";
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
  return (
    <TextInput
      {...(isLabelHidden ? { "aria-label": label } : { label })}
      placeholder={t("history.datePattern")}
      autoComplete="off"
      value={text}
      error={typedDay(text) === null && text.length >= "22.11.2026".length}
      onChange={({ currentTarget: { value: typed } }) => {
        setText(typed);
        const next = typed === "" ? "" : typedDay(typed);
        if (next !== null && next !== value) change(next);
      }}
      onBlur={() => setText(shown)}
      // Leaves room for a whole date in a narrow column.
      styles={{ input: { paddingInlineStart: "var(--space-1)" } }}
      rightSectionWidth={44}
      rightSection={
        <>
          {/* Invisible but for its calendar. */}
          <Box
            component="input"
            ref={calendar}
            type="date"
            pos="absolute"
            inset={0}
            w="100%"
            opacity={0}
            style={{ pointerEvents: "none" }}
            aria-hidden
            tabIndex={-1}
            value={value}
            onChange={(event) => change(event.currentTarget.value)}
          />
          <ActionIcon aria-label={t("history.calendar", { label })} onClick={() => calendar.current?.showPicker()}>
            <IconCalendar aria-hidden />
          </ActionIcon>
        </>
      }
    />
  );
};
