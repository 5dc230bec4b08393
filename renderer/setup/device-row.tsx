import { Button } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { DeviceTest } from "../ui/use-device-test.ts";
import classes from "./setup.module.css";

interface DeviceRowProps {
  readonly icon: ReactNode;
  readonly name: string;
  /** Result of the last test, or what to do. */
  readonly result: string;
  readonly isGood: boolean;
  readonly test?: DeviceTest["test"];
}

/** One device with its state and a button that tests it. */
export const DeviceRow = ({ icon, name, result, isGood, test }: DeviceRowProps) => (
  <li className={classes.device} data-good={isGood || undefined}>
    {isGood ? <IconCircleCheck size={34} aria-hidden /> : icon}
    <div>
      <strong>{name}</strong>
      <span role="status">{result}</span>
    </div>
    {test && (
      <Button size="md" variant="default" onClick={test.run}>
        {test.label}
      </Button>
    )}
  </li>
);
