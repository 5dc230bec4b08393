import { Button, type ButtonProps } from "@mantine/core";
import type { ReactNode } from "react";
import type { Command } from "../../preload/contract.ts";
import { RefusalText, useSend } from "./command-context.tsx";

interface SendButtonProps extends ButtonProps {
  readonly command: Command;
  readonly children: ReactNode;
}

/** A button that sends one command; why it was refused stands behind it. */
export const SendButton = ({ command, ...button }: SendButtonProps) => {
  const { send, isSending, refusal } = useSend();
  return (
    <>
      <Button {...button} loading={isSending} onClick={() => void send(command)} />
      <RefusalText refusal={refusal} />
    </>
  );
};
