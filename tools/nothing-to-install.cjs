/** electron-builder's `beforeBuild`: all dependencies are bundled, so none is installed for the package or copied into it. */
exports.default = async () => false;
