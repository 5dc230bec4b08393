/** For electron-builder: everything is bundled, so that no dependency is installed for the package or copied into it. */
exports.default = async () => false;
