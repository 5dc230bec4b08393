/** The picture that decoding is tuned for; a camera gives the nearest it has. */
const wantedPicture = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } } as const;

/** A camera that the browser knows. */
export interface CameraDevice {
  readonly deviceId: string;
  /** Empty until the permission was given. */
  readonly label: string;
}

/** All cameras; without a permission their ids are empty, and they are left out. */
export const listCameras = async (): Promise<readonly CameraDevice[]> => {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices
    .filter(({ kind, deviceId }) => kind === "videoinput" && deviceId !== "")
    .map(({ deviceId, label }) => ({ deviceId, label }));
};

const isGone = (error: unknown): boolean =>
  error instanceof Error && (error.name === "OverconstrainedError" || error.name === "NotFoundError");

/** Opens the remembered camera, or any other one where that is gone. */
export const openCamera = async (deviceId: string | null): Promise<MediaStream> => {
  const open = (device: MediaTrackConstraints): Promise<MediaStream> =>
    navigator.mediaDevices.getUserMedia({ audio: false, video: { ...wantedPicture, ...device } });
  const anyCamera = { facingMode: { ideal: "environment" } };
  if (deviceId === null) return open(anyCamera);
  try {
    return await open({ deviceId: { exact: deviceId } });
  } catch (error) {
    if (!isGone(error)) throw error;
    return open(anyCamera);
  }
};

/** Stops a stream: the camera's light goes out. */
export const closeCamera = (stream: MediaStream): void => {
  for (const track of stream.getTracks()) track.stop();
};
