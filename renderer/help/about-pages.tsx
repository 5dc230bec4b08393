/** What *About* leads to: what this machine gives the program, and what the program is made of, under which licences. */
import { Button } from "@mantine/core";
import { t } from "i18next";
import { useCallback, useEffect, useRef, useState } from "react";
import { type CheckLine, checkText } from "../../preload/machine-check.ts";
import { Answer, Query, type QueryState } from "../ui/query.tsx";
import classes from "./help.module.css";

/** One package: its name, version, SPDX expression, and its licence's words where it brings them. */
interface Licence {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly text: string | null;
}

const read = async (): Promise<QueryState<readonly Licence[]>> => {
  const answer = await fetch("/licences.json");
  return answer.ok ? { kind: "answered", data: await answer.json() } : { kind: "failed" };
};

/** The list; one that is opened shows its licence's text. */
export const Licences = () => {
  const [state, setState] = useState<QueryState<readonly Licence[]>>({ kind: "asking" });
  const ask = useCallback(() => {
    setState({ kind: "asking" });
    read().then(setState, () => setState({ kind: "failed" }));
  }, []);
  useEffect(ask, [ask]);
  return (
    <Answer state={state} again={ask}>
      {(licences) => (
        <>
          <p>{t("help.licencesNext")}</p>
          <ul className={classes.licences}>
            {licences.map(({ name, version, licence, text }) => (
              <li key={`${name} ${version}`}>
                <details>
                  <summary>
                    {name} {version} <span>{licence}</span>
                  </summary>
                  <pre>{text ?? t("help.licenceWithoutText")}</pre>
                </details>
              </li>
            ))}
          </ul>
        </>
      )}
    </Answer>
  );
};

/** What this machine gives the program, as `tillcash --check` prints it: to be read to support, or copied. */
export const Machine = () => {
  const text = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    if (text.current) document.getSelection()?.selectAllChildren(text.current);
    // The page has no permission for the clipboard; a press may copy what is selected.
    setCopied(document.execCommand("copy"));
  };
  return (
    <Query<readonly CheckLine[]> command={{ type: "check_machine" }}>
      {(lines) => (
        <>
          <p>{t("help.machineNext")}</p>
          <pre ref={text} className={classes.machine} lang="en">
            {checkText(lines)}
          </pre>
          <Button justify="start" onClick={copy}>
            {t("help.copy")}
          </Button>
          <p role="status">{copied && t("help.copied")}</p>
        </>
      )}
    </Query>
  );
};
