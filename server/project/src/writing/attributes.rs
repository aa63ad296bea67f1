//! Extended attributes of files, among them the access lists of Linux: what a rename would take from a file.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::fs::File;
use std::path::Path;

use rustix::fs::{
    XattrFlags, fgetxattr, fgetxattr_query, flistxattr, flistxattr_query, fremovexattr, fsetxattr,
};
use rustix::io::{Errno, Result};

/// Gives a file the attributes of another, and no others; whether that is possible.
pub(super) fn inherit_attributes(file: &File, from: &Path) -> std::io::Result<bool> {
    let from = File::open(from)?;
    let (own, wanted) = (attribute_names(file)?, attribute_names(&from)?);
    for name in own.difference(&wanted) {
        if fremovexattr(file, name.as_c_str()).is_err() {
            return Ok(false);
        }
    }
    for name in &wanted {
        let value = attribute_value(&from, name)?;
        // A label that the system gives to every file may not be set, and need not be.
        let is_there = own.contains(name) && self::attribute_value(file, name)? == value;
        if !is_there && fsetxattr(file, name.as_c_str(), &value, XattrFlags::empty()).is_err() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The names of a file's attributes; none where its file system has no attributes.
fn attribute_names(file: &File) -> Result<BTreeSet<CString>> {
    let list = read_whole(|| flistxattr_query(file), |buffer| flistxattr(file, buffer));
    let list = match list {
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(BTreeSet::new()),
        list => list?,
    };
    let names = list.split_inclusive(|byte| *byte == 0);
    let names = names.filter_map(|name| CStr::from_bytes_with_nul(name).ok());
    Ok(names.map(CStr::to_owned).collect())
}

fn attribute_value(file: &File, name: &CStr) -> Result<Vec<u8>> {
    read_whole(
        || fgetxattr_query(file, name),
        |buffer| fgetxattr(file, name, buffer),
    )
}

/// What a call writes into as many bytes as another one says that it needs.
fn read_whole(
    length: impl Fn() -> Result<usize>,
    write: impl Fn(&mut [u8]) -> Result<usize>,
) -> Result<Vec<u8>> {
    loop {
        let mut bytes = vec![0; length()?];
        match write(&mut bytes) {
            // It has grown meanwhile.
            Err(Errno::RANGE) => {}
            Err(error) => return Err(error),
            Ok(written) => {
                bytes.truncate(written);
                return Ok(bytes);
            }
        }
    }
}
