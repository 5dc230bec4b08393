import { IconCash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Settings } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { DeviceRow } from "./device-row.tsx";

/** Whether the drawer's money is counted here: asked in the set-up, so that no shop begins with a day to open. */
export const DrawerMoneyRow = ({ settings }: { readonly settings: Settings }) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const { enabled } = settings.drawerMoney;
  const change = (): void =>
    void commands.dispatch({
      type: "change_settings",
      settings: { ...settings, drawerMoney: { ...settings.drawerMoney, enabled: !enabled } },
    });
  return (
    <DeviceRow
      icon={<IconCash size={34} stroke={1.8} aria-hidden />}
      name={t("devices.drawerMoney")}
      result={t(enabled ? "devices.drawerMoneyOn" : "devices.drawerMoneyOff")}
      isGood={enabled}
      test={{ label: t(enabled ? "devices.countElsewhere" : "devices.countHere"), run: change }}
    />
  );
};
