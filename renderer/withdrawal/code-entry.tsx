/** Typing a code by keyboard or on-screen keys. The check character is tested before any request. */

import { IconAlertTriangle, IconBackspace, IconCheck, IconSearch } from "@tabler/icons-react";
import { t } from "i18next";
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { groupId, isTransactionId, normalizeTypedId, transactionIdLength } from "../../backend/contract/ids.ts";
import { settingBounds } from "../../preload/choices.ts";
import type { ScanSource, Settings } from "../../preload/contract.ts";
import { idFault } from "../scan/scan.ts";
import { OnScreenKey } from "../ui/controls.tsx";
import { Frame } from "../ui/frame.tsx";
import page from "../ui/page.module.css";
import { isShortcut } from "../ui/shortcuts.ts";
import { useCommands, useSnapshot } from "../ui/terminal.tsx";
import classes from "./withdrawal.module.css";

/** Result of the validation; `missing` counts characters. */
type Entry =
  | { readonly state: "partial"; readonly missing: number }
  | { readonly state: "right" | "foreign" | "wrong" }
  | { readonly state: "bad_character"; readonly character: string };

/** Longest text: the length of the longest id. */
export const entryLengthMax = settingBounds.foreignIdLength.max;

/** Removes control characters, blanks and hyphens, which a paste may bring, and what exceeds the longest id. */
export const cleanEntry = (text: string, foreignIds: Settings["foreignIds"]): string => {
  const visible = text.replace(/[\p{Cc}\p{Cf}\s-]/gu, "").slice(0, entryLengthMax);
  return foreignIds === null ? normalizeTypedId(visible) : visible;
};

/** Groups of four while it can be one of our ids; ids of another network stay ungrouped. */
export const showEntry = (text: string, foreignIds: Settings["foreignIds"]): string =>
  foreignIds === null || isTransactionId(normalizeTypedId(text)) ? groupId(text) : text;

const unusedCharacter = /[^0-9A-HJKMNP-TV-Z]/;

/** Validates a cleaned entry by length, alphabet and check character. */
export const validateEntry = (text: string, foreignIds: Settings["foreignIds"]): Entry => {
  const own = normalizeTypedId(text);
  if (isTransactionId(own)) return { state: "right" };
  if (foreignIds !== null) {
    if (idFault(text, { foreignIds }) === null) return { state: "foreign" };
    const lengthMin = Math.min(foreignIds.lengthMin, transactionIdLength);
    return text.length < lengthMin ? { state: "partial", missing: lengthMin - text.length } : { state: "wrong" };
  }
  const unused = unusedCharacter.exec(own)?.[0];
  if (unused !== undefined) return { state: "bad_character", character: unused };
  if (own.length < transactionIdLength) return { state: "partial", missing: transactionIdLength - own.length };
  return { state: "wrong" };
};

const codeCharacters = "1234567890ABCDEFGHJKMNPQRSTVWXYZ";
/** Ids of another network may hold the letters that ours leave out. */
const allCharacters = "1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The form for a code that cannot be scanned. */
export const CodeEntry = ({ step, back }: Readonly<{ step: string; back: () => void }>) => {
  const commands = useCommands();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [source, setSource] = useState<ScanSource>("typed");
  const { foreignIds } = useSnapshot().settings;
  const entry = validateEntry(text, foreignIds);
  const isComplete = entry.state === "right" || entry.state === "foreign";
  const isWrong = entry.state === "wrong" || entry.state === "bad_character";
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
          icon: IconSearch,
          enabled: isComplete,
          command: lookUp,
        },
      }}
    >
      <div className={classes.entry}>
        <h1>{t("entry.title")}</h1>
        <p className={page.soft}>{t("entry.next")}</p>
        <div className={classes.line}>
          <input
            ref={field}
            className={classes.field}
            aria-label={t("entry.field")}
            aria-describedby="entry-state"
            aria-invalid={isWrong}
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
          <p id="entry-state" className={classes.state} data-wrong={isWrong || undefined} role="status">
            {isWrong && <IconAlertTriangle size={28} stroke={2.2} aria-hidden />}
            {isComplete && <IconCheck size={28} stroke={2.6} aria-hidden />}
            <span>{entryText(entry)}</span>
          </p>
        </div>
        <fieldset className={classes.keypad} aria-label={t("entry.keypad")}>
          {[...(foreignIds === null ? codeCharacters : allCharacters)].map((character) => (
            <OnScreenKey key={character} name={character} press={() => change(text + character, "typed")} />
          ))}
          <OnScreenKey name={t("entry.erase")} press={() => change(text.slice(0, -1), "typed")}>
            <IconBackspace size={32} stroke={2} aria-hidden />
          </OnScreenKey>
        </fieldset>
      </div>
    </Frame>
  );
};

const entryText = (entry: Entry): string => {
  switch (entry.state) {
    case "partial":
      return t("entry.left", { count: entry.missing });
    case "bad_character":
      return t("entry.character", { character: entry.character });
    default:
      return t(`entry.${entry.state}`);
  }
};
