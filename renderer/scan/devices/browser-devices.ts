/** The little of WebHID and Web Serial that is needed to find a chosen scanner again; TypeScript's own library lacks both. */
import type { DeviceKind } from "../activity.ts";

/** USB ids, by which a scanner is known again. */
export interface DeviceIds {
  readonly vendorId: number;
  readonly productId: number;
}

interface HidLike extends EventTarget {
  getDevices(): Promise<readonly DeviceIds[]>;
}

interface SerialLike extends EventTarget {
  getPorts(): Promise<readonly { getInfo(): { usbVendorId?: number; usbProductId?: number } }[]>;
}

const browser = (): { readonly hid?: HidLike; readonly serial?: SerialLike } =>
  navigator as unknown as { readonly hid?: HidLike; readonly serial?: SerialLike };

/** Emits when a device is plugged in or out; undefined where the browser has no such devices. */
export const busOf = (kind: DeviceKind): EventTarget | undefined => browser()[kind];

/** The scanners that were chosen before and are plugged in. */
export const chosenDevices = async (kind: DeviceKind): Promise<readonly DeviceIds[]> => {
  if (kind === "hid") return (await browser().hid?.getDevices()) ?? [];
  const ports = (await browser().serial?.getPorts()) ?? [];
  return ports.flatMap((port) => {
    const { usbVendorId: vendorId, usbProductId: productId } = port.getInfo();
    return vendorId === undefined || productId === undefined ? [] : [{ vendorId, productId }];
  });
};
