import { useTranslation } from "react-i18next";
import type { ScreenOf } from "../../preload/contract.ts";
import { Frame } from "../ui/frame.tsx";
import { ScreenBody, Working } from "../ui/screen-body.tsx";
import { codeFact } from "./facts.ts";

/** The withdrawal is being rejected at the service. */
export const Closing = ({ screen }: { readonly screen: ScreenOf<"closing"> }) => {
  const { t } = useTranslation();
  const isCashier = screen.why === "cashier";
  return (
    <Frame tone="never">
      <ScreenBody
        title={isCashier ? t("closing.cashierTitle") : t("closing.timeOutTitle")}
        money={screen.money}
        next={isCashier ? t("closing.cashierNext") : t("closing.timeOutNext")}
        aside={<Working />}
        facts={[codeFact(t("facts.code"), screen.transactionId)]}
      />
    </Frame>
  );
};
