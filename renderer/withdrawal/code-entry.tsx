/** Typing a code by keyboard or on-screen keys. The check character is tested before any request. */
import { IconAlertTriangle, IconBackspace, IconCheck, IconSearch } from "@tabler/icons-react";
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ScanSource, Settings } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { Frame } from "../ui/frame.tsx";
import { isShortcut } from "../ui/shortcuts.ts";
import classes from "./code-entry.module.css";
import { cleanEntry, type Entry, showEntry, validateEntry } from "./entry.ts";
import { Keypad } from "./keypad.tsx";

interface CodeEntryProps {
  readonly step: string;
  readonly settings: Settings;
  readonly back: () => void;
}

/** The form for a code that cannot be scanned. */
export const CodeEntry = ({ step, settings, back }: CodeEntryProps) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [source, setSource] = useState<ScanSource>("typed");
  const { foreignIds } = settings;
  const entry = validateEntry(text, foreignIds);
  const isComplete = entry.state === "right" || entry.state === "foreign";
  useEffect(() => field.current?.focus(), []);

  const change = (raw: string, from: ScanSource): void => {
    setText(cleanEntry(raw, foreignIds));
    setSource(from);
  };
  const lookUp = { type: "scan", text, source } as const;
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (isShortcut("submit", event.key) && !event.repeat && isComplete) {
      event.preventDefault();
      commands.send(event, lookUp);
    }
  };
  const onPaste = (event: ClipboardEvent<HTMLInputElement>): void => {
    event.preventDefault();
    change(event.clipboardData.getData("text"), "pasted");
  };

  return (
    <Frame
      key={step}
      tone="entry"
      actions={{
        second: { label: t("entry.back"), run: back },
        main: {
          label: t("entry.lookUp"),
          icon: <IconSearch size={32} stroke={2.4} aria-hidden />,
          enabled: isComplete,
          command: lookUp,
        },
      }}
    >
      <div className={classes.entry}>
        <h1 className={classes.title}>{t("entry.title")}</h1>
        <p className={classes.next}>{t("entry.next")}</p>
        <div className={classes.line}>
          <input
            ref={field}
            className={classes.field}
            aria-label={t("entry.field")}
            aria-describedby="entry-state"
            aria-invalid={entry.state === "wrong" || entry.state === "bad_character"}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            inputMode="none"
            placeholder="0000 0000 0000 0000"
            value={showEntry(text, foreignIds)}
            onChange={(event) => change(event.currentTarget.value, "typed")}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
          />
          <EntryState entry={entry} />
        </div>
        <Keypad
          withAllLetters={foreignIds !== null}
          press={(character) => change(text + character, "typed")}
          erase={() => change(text.slice(0, -1), "typed")}
          eraseIcon={<IconBackspace size={32} stroke={2} aria-hidden />}
        />
      </div>
    </Frame>
  );
};

const EntryState = ({ entry }: { readonly entry: Entry }) => {
  const { t } = useTranslation();
  const isWrong = entry.state === "wrong" || entry.state === "bad_character";
  const isRight = entry.state === "right" || entry.state === "foreign";
  const words = {
    partial: () => t("entry.left", { count: entry.state === "partial" ? entry.missing : 0 }),
    right: () => t("entry.right"),
    foreign: () => t("entry.foreign"),
    wrong: () => t("entry.wrong"),
    bad_character: () => t("entry.character", { character: entry.state === "bad_character" ? entry.character : "" }),
  };
  return (
    <p id="entry-state" className={classes.state} data-wrong={isWrong || undefined} role="status">
      {isWrong && <IconAlertTriangle size={28} stroke={2.2} aria-hidden />}
      {isRight && <IconCheck size={28} stroke={2.6} aria-hidden />}
      <span>{words[entry.state]()}</span>
    </p>
  );
};
