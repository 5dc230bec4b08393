/** What this program is made of, and under which licences: Tillcash itself, Electron, then every package that ships. */
import { useCallback, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Query, type QueryState } from "../ui/query.tsx";
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
  const { t } = useTranslation();
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
