import { Button, type ButtonProps } from "@mantine/core";
import type { MouseEventHandler, ReactNode } from "react";

interface LinkButtonProps extends ButtonProps {
  readonly onClick: () => void;
  readonly onMouseDown?: MouseEventHandler;
  readonly children: ReactNode;
}

/** A button that looks like a link, for a way that few take. */
export const LinkButton = (props: LinkButtonProps) => (
  <Button variant="transparent" px={0} c="var(--accent)" td="underline" {...props} />
);
