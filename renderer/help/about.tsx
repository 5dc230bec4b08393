import { UnstyledButton } from "@mantine/core";
import { t } from "i18next";
import { Facts } from "../ui/data-table.tsx";
import { useSnapshotStore, useSupport } from "../ui/snapshot-store.ts";
import { useUpdateText } from "../ui/use-update.ts";
import classes from "./help.module.css";

/** A page that *About* leads to. */
export type AboutPage = "machine" | "licences";
const pages: readonly AboutPage[] = ["machine", "licences"];

interface AboutProps {
  /** Leads to a page; left out where nothing more can be shown. */
  readonly show?: (page: AboutPage) => void;
}

/** What support asks for: version, terminal, shop, service, support contact; and what this computer and the licences say. */
export const About = ({ show }: AboutProps) => {
  const header = useSnapshotStore((store) => store.snapshot?.header);
  const support = useSupport();
  const update = useUpdateText();
  const { identity = null, profile = null } = header ?? {};
  const shop = [profile?.name, identity?.merchantId].filter(Boolean).join(", ");
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    [t("help.version"), `${t("product")} ${import.meta.env.VITE_VERSION}`],
    [t("updates.title"), update],
    [t("setup.deviceId"), identity?.deviceId],
    [t("facts.shop"), shop],
    [t("help.service"), identity?.serviceUrl],
    [t("facts.support"), support ?? t("help.noSupport")],
  ];
  return (
    <>
      <Facts rows={facts} className={classes.facts} />
      {show &&
        pages.map((page) => (
          <UnstyledButton key={page} className={classes.about} onClick={() => show(page)}>
            {t(`help.${page}`)}
          </UnstyledButton>
        ))}
    </>
  );
};
