import { useTranslation } from "react-i18next";
import type { ScreenOf } from "../../preload/contract.ts";
import { Frame } from "../ui/frame.tsx";
import { ScreenBody, Working } from "../ui/screen-body.tsx";
import { cashTiles } from "./cash-tiles.tsx";
import { codeFact } from "./facts.ts";

/** The confirm is on its way. */
export const Confirming = ({ screen }: { readonly screen: ScreenOf<"confirming"> }) => {
  const { t } = useTranslation();
  return (
    <Frame tone="notYet">
      <ScreenBody
        title={t("confirming.title")}
        money={screen.money}
        next={t("confirming.next")}
        aside={<Working />}
        cash={cashTiles(screen)}
        facts={[codeFact(t("facts.code"), screen.transactionId)]}
      />
    </Frame>
  );
};
