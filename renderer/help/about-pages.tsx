/** What *About* leads to: what this machine gives the program, and what the program is made of, under which licences. */

import { UnstyledButton } from "@mantine/core";
import { t } from "i18next";
import { useCallback, useEffect, useRef, useState } from "react";
import { type CheckLine, checkText } from "../../preload/machine-check.ts";
import { Query, type QueryState, useQuery } from "../ui/query.tsx";
import classes from "./help.module.css";

/** One package: its name, version, SPDX expression, and its licence's words where it brings them. */
interface Licence {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly text: string | null;
}

const read = async (): Promise<readonly Licence[]> => {
  const answer = await fetch("/licences.json");
  if (!answer.ok) throw new Error(`the list of licences: ${answer.status}`);
  return answer.json();
};

/** Reads it at once, and again on demand. */
const useLicences = (): { state: QueryState<readonly Licence[]>; refetch: () => void } => {
  const [state, setState] = useState<QueryState<readonly Licence[]>>({ kind: "asking" });
  const refetch = useCallback(() => {
    setState({ kind: "asking" });
    read().then(
      (data) => setState({ kind: "answered", data }),
      () => setState({ kind: "failed" }),
    );
  }, []);
  useEffect(refetch, [refetch]);
  return { state, refetch };
};

/** The list; one that is opened shows its licence's text. */
export const Licences = () => {
  const { state, refetch } = useLicences();
  return (
    <Query state={state} again={refetch}>
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
    </Query>
  );
};

/** What this machine gives the program, as `tillcash --check` prints it: to be read to support, or copied. */
export const Machine = () => {
  const { state, refetch } = useQuery<readonly CheckLine[]>({ type: "check_machine" });
  const text = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    if (text.current) document.getSelection()?.selectAllChildren(text.current);
    // The page has no permission for the clipboard; a press may copy what is selected.
    setCopied(document.execCommand("copy"));
  };
  return (
    <Query state={state} again={refetch}>
      {(lines) => (
        <>
          <p>{t("help.machineNext")}</p>
          <pre ref={text} className={classes.machine} lang="en">
            {checkText(lines)}
          </pre>
          <UnstyledButton className={classes.about} onClick={copy}>
            {t("help.copy")}
          </UnstyledButton>
          <p role="status">{copied && t("help.copied")}</p>
        </>
      )}
    </Query>
  );
};
