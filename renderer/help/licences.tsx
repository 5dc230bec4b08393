/** What this program is made of, and under which licences: Tillcash itself, Electron, then every package that ships. */
import { useTranslation } from "react-i18next";
import { Query } from "../ui/query.tsx";
import classes from "./help.module.css";
import { useLicences } from "./use-licences.ts";

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
