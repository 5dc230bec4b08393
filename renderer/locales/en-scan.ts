/** English texts about cameras and scanners. */
export const scan = {
  camera: "Camera",
  chooseCamera: "Camera",
  cameraNumber: "Camera {{number}}",
  starting: "The camera is starting",
  tryAgain: "Try again",
  light: "Light",
  zoom: "Zoom",
  focus: "Focus again",
  sight: {
    nothing: "Hold the barcode in the frame",
    once_more: "Reading. Hold still",
    accepted: "Read",
    again: "Already read. Take the phone away and show it again",
    foreign: "This is not a withdrawal code",
    dark: "Too dark. Turn the phone’s brightness up or switch a light on",
    glaring: "Too much glare. Tilt the phone a little",
    blurred: "Not sharp. Hold the phone still, about 15 cm away",
    near: "Too near. Move the phone back a little",
    far: "Too far. Bring the phone closer",
  },
  problem: {
    none: {
      title: "No camera found",
      remedy: "Plug a camera in; it is used at once. Until then use the hand scanner or type the code.",
    },
    taken: {
      title: "Another program uses the camera",
      remedy: "Close the other program, such as a video call. The till tries again by itself.",
    },
    denied: {
      title: "The camera is not allowed",
      remedy: "Allow the camera for this page in the browser or in the system’s privacy settings, then try again.",
    },
    insecure: {
      title: "The camera cannot be used on this address",
      remedy: "Open the till on this machine itself, or over https.",
    },
    unplugged: {
      title: "The camera was unplugged",
      remedy: "Plug it in again; it is used at once. Until then use the hand scanner or type the code.",
    },
    failed: {
      title: "The camera does not start",
      remedy: "Unplug it and plug it in again. Until then use the hand scanner or type the code.",
    },
  },
};
