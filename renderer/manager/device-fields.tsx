/** What drawer and printer share: where a device of the shop's network is, and its test. */
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Settings } from "../../preload/contract.ts";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import { type DeviceTest, useDrawerTest, usePrinterTest } from "../ui/use-device-test.ts";
import classes from "./manager.module.css";
import { NumberField, TextField } from "./settings-form.tsx";

/** Host and port. */
export const AddressFields = ({ device }: { readonly device: "drawer" | "printer" }) => {
  const { t } = useTranslation();
  return (
    <div className={classes.pair}>
      <TextField path={`${device}.host`} label={t("settings.host")} fault={t("settings.hostFault")} />
      <NumberField path={`${device}.port`} label={t("settings.port")} fault={t("settings.portFault")} />
    </div>
  );
};

const Try = ({ result, test }: DeviceTest) =>
  test && (
    <div className={classes.tryDevice}>
      <Button size="md" variant="default" onClick={test.run}>
        {test.label}
      </Button>
      <span role="status">{result}</span>
    </div>
  );

const TryKeptPrinter = ({ printer }: Pick<Settings, "printer">) => <Try {...usePrinterTest(printer)} />;
const TryKeptDrawer = ({ drawer }: Pick<Settings, "drawer">) => <Try {...useDrawerTest(drawer)} />;

/** Tries the printer as it is kept, not as it is being typed; what was said of another one is forgotten. */
export const TryPrinter = () => {
  const printer = useSnapshotStore((store) => store.snapshot?.settings.printer);
  return printer && <TryKeptPrinter key={JSON.stringify(printer)} printer={printer} />;
};

/** The same for the drawer. */
export const TryDrawer = () => {
  const drawer = useSnapshotStore((store) => store.snapshot?.settings.drawer);
  return drawer && <TryKeptDrawer key={JSON.stringify(drawer)} drawer={drawer} />;
};
