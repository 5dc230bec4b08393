import { UnstyledButton } from "@mantine/core";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { type CheckLine, checkText } from "../../preload/machine-check.ts";
import { Query, useQuery } from "../ui/query.tsx";
import classes from "./help.module.css";

/** What this machine gives the program, as `tillcash --check` prints it: to be read to support, or copied. */
export const Machine = () => {
  const { t } = useTranslation();
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
