import CWebImageCurl
import CWebImageCurlShim
import Foundation
import WebImageCore

/// Owns one easy handle and the buffer for curl's error messages.
///
/// Used on the engine's thread only. Pooled between transfers, after ``reset()`` or with its options kept.
final class CurlEasy {
    let handle: UnsafeMutableRawPointer
    private let errorBuffer: UnsafeMutablePointer<CChar>
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var resolveList: UnsafeMutablePointer<curl_slist>?
    private let ledgerKind: String
    /// The transfer whose options are set; nil when the next transfer must set all options.
    var prepared: CurlTransferRequest?

    /// Nil when curl is out of memory.
    init?(label: String) {
        guard CurlLibrary.failure == nil, let handle = webimage_curl_easy_init() else { return nil }
        self.handle = handle
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        ledgerKind = "curl easy" + label
        HandleLedger.opened(ledgerKind)
        installErrorBuffer()
    }

    deinit {
        webimage_curl_easy_cleanup(handle)
        webimage_curl_slist_free_all(headerList)
        webimage_curl_slist_free_all(resolveList)
        errorBuffer.deallocate()
        HandleLedger.closed(ledgerKind)
    }

    /// Clears every option. Connections belong to the multi handle and stay open.
    func reset() {
        prepared = nil
        // A reset drops the list of cookie files without freeing it (7.88), and keeps an attached share. Both are
        // removed by hand, the list first: without a share it would remove the cookies too.
        webimage_curl_set_pointer(handle, CURLOPT_COOKIEFILE, nil)
        webimage_curl_set_pointer(handle, CURLOPT_SHARE, nil)
        webimage_curl_easy_reset(handle)
        webimage_curl_slist_free_all(headerList)
        webimage_curl_slist_free_all(resolveList)
        (headerList, resolveList) = (nil, nil)
        errorBuffer[0] = 0
        installErrorBuffer()
    }

    /// Clears the message of the last transfer.
    func forgetMessage() { errorBuffer[0] = 0 }

    private func installErrorBuffer() {
        webimage_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorBuffer)
    }

    func set(_ option: CURLoption, _ value: Int) { webimage_curl_set_long(handle, option, value) }
    func set(_ option: CURLoption, bytes value: Int) { webimage_curl_set_offset(handle, option, curl_off_t(value)) }
    func set(_ option: CURLoption, _ value: String) { webimage_curl_set_string(handle, option, value) }
    func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
        webimage_curl_set_pointer(handle, option, pointer)
    }
    func set(_ option: CURLoption, function: @escaping webimage_curl_data_function) {
        webimage_curl_set_data_function(handle, option, function)
    }

    /// Sets header lines; they stay allocated until the next reset, as curl requires.
    func setHeaders(_ lines: [String]) {
        Self.append(lines, to: &headerList)
        webimage_curl_set_list(handle, CURLOPT_HTTPHEADER, headerList)
    }

    /// Sets name service answers that are known in advance, as `host:port:address`.
    func setResolved(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        Self.append(lines, to: &resolveList)
        webimage_curl_set_list(handle, CURLOPT_RESOLVE, resolveList)
    }

    private static func append(_ lines: [String], to list: inout UnsafeMutablePointer<curl_slist>?) {
        for line in lines {
            guard let longer = webimage_curl_slist_append(list, line) else { break }
            list = longer
        }
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        webimage_curl_get_long(handle, info, &value)
        return value
    }

    func offset(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        webimage_curl_get_offset(handle, info, &value)
        return Int(value)
    }

    func string(_ info: CURLINFO) -> String? {
        var value: UnsafePointer<CChar>?
        webimage_curl_get_string(handle, info, &value)
        return value.map { String(cString: $0) }
    }

    /// The message that curl wrote for the failure, or its general text for the code.
    func message(for code: CURLcode) -> String {
        let written = String(cString: errorBuffer)
        return written.isEmpty ? String(cString: webimage_curl_easy_strerror(code)) : written
    }
}

/// Owns the multi handle.
///
/// Only ``wake()`` may be called from other threads. Its caller holds a reference, so the handle is still open.
final class CurlMulti: @unchecked Sendable {
    // Unchecked is correct because everything but `wake` is called on the engine's thread, and curl_multi_wakeup may
    // be called from any thread at any time.
    let handle: OpaquePointer
    private let ledgerKind: String

    init?(label: String) {
        guard CurlLibrary.failure == nil, let handle = webimage_curl_multi_init() else { return nil }
        self.handle = OpaquePointer(handle)
        ledgerKind = "curl multi" + label
        HandleLedger.opened(ledgerKind)
    }

    deinit {
        webimage_curl_multi_cleanup(UnsafeMutableRawPointer(handle))
        HandleLedger.closed(ledgerKind)
    }

    var pointer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(handle) }

    func wake() { webimage_curl_multi_wakeup(pointer) }
}

/// Owns the cookies that the transfers of one engine share when they use cookies; kept in memory alone.
final class CurlCookieJar {
    let pointer: UnsafeMutableRawPointer
    private let ledgerKind: String

    init?(label: String) {
        guard CurlLibrary.failure == nil, let share = webimage_curl_share_init() else { return nil }
        pointer = share
        ledgerKind = "curl share" + label
        // One thread uses the share, so curl needs no lock functions.
        webimage_curl_share_set_long(pointer, CURLSHOPT_SHARE, Int(CURL_LOCK_DATA_COOKIE.rawValue))
        HandleLedger.opened(ledgerKind)
    }

    deinit {
        webimage_curl_share_cleanup(pointer)
        HandleLedger.closed(ledgerKind)
    }
}
