import Foundation

/// Files with the names that SDWebImage gives to its entries. Ported code opens such a file, or reads the extension of its
/// name.
extension DiskStore {
    /// Returns the path of a file with the bytes of an entry, under SDWebImage's name for the key. If there is no entry,
    /// or the folder is read-only, returns the path, and there is no file.
    ///
    /// The call makes the file: a copy of bytes in the index, or a symbolic link to the file of the entry. No row of the
    /// index names it, so the sweep removes it, at the earliest an hour later.
    func namedFile(forKey key: String) -> String {
        let name = OriginalLayout.fileName(forKey: key)
        let folder = path + "/" + StoreFormat.filesName + "/" + name.prefix(2)
        let file = folder + "/" + name
        // Rename the new file over an old one, so that a reader of the path never finds a part of it.
        let new = file + "-" + KeyHash.hex(UInt64.random(in: 0 ... .max))
        guard let data = data(forKey: key), StoreFolder.makeFolders(folder) == 0, make(new, forKey: key, data),
            rename(new, file) == 0
        else {
            unlink(new)
            unlink(file)
            return file
        }
        return file
    }

    private func make(_ file: String, forKey key: String, _ data: Data) -> Bool {
        if let stored = cachePath(forKey: key) { return symlink(stored, file) == 0 }
        return FileTree.write(data, to: file) == 0
    }
}
