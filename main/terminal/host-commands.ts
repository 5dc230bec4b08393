/** The commands that a host answers: a host that cannot leaves them to the terminal, which refuses them. */
import type { TerminalCommand } from "../../preload/contract.ts";
import type { HostCommand } from "./state/inputs.ts";

const hostCommands: Readonly<Record<HostCommand["type"], true>> = {
  switch_purpose: true,
  move_customer_display: true,
  close_program: true,
  save_report: true,
  check_machine: true,
  set_up_service: true,
  change_service: true,
  get_service: true,
  restart_service: true,
  back_up_service: true,
  renew_bank_access: true,
  discard_bank_file: true,
  open_phone_access: true,
  close_phone_access: true,
  check_for_update: true,
  install_update: true,
};

/** Whether the program around the terminal is to answer it. */
export const isHostCommand = (command: TerminalCommand): command is HostCommand =>
  Object.hasOwn(hostCommands, command.type);
