"""The list in Qt Quick: Image with sourceSize, asynchronous, its pixmap cache as it is. peers/list.py SERVER

Python starts it and prints what it cost; scrolling and loading are Qt's own C++.
"""
import json
import os
import resource
import sys
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_QUICK_BACKEND", "software")

from PySide6.QtCore import QTimer, QUrl  # noqa: E402
from PySide6.QtGui import QGuiApplication  # noqa: E402
from PySide6.QtQml import QQmlComponent, QQmlEngine  # noqa: E402

ROWS, PICTURES, SIDE = 1000, 200, 96
QML = """
import QtQuick
Window {
    id: window
    width: 300; height: 600; visible: true
    property int screens: 0
    property bool over: false
    ListView {
        id: list
        anchors.fill: parent
        model: %d
        delegate: Image {
            required property int index
            width: list.width; height: %d
            source: "%s/" + (index %% %d) + ".jpg"
            sourceSize: Qt.size(%d, %d)
            fillMode: Image.PreserveAspectFit
            asynchronous: true
        }
    }
    function ready() {
        const first = Math.floor(list.contentY / %d)
        const last = Math.min(list.count - 1, Math.floor((list.contentY + list.height - 1) / %d))
        for (let row = first; row <= last; ++row) {
            const item = list.itemAtIndex(row)
            if (!item || item.status !== Image.Ready) return false
            if (item.implicitWidth > %d) { console.error("not at the size shown"); return false }
        }
        return true
    }
    FrameAnimation {
        running: !window.over
        onTriggered: {
            if (!window.ready()) return
            window.screens += 1
            if (list.contentY + list.height >= list.contentHeight - 1) { window.over = true; return }
            list.contentY = Math.min(list.contentY + list.height, list.contentHeight - list.height)
        }
    }
}
"""


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def megabytes(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(field))


app = QGuiApplication(sys.argv[:1])
engine = QQmlEngine()
component = QQmlComponent(engine)
code = QML % (ROWS, SIDE, sys.argv[1], PICTURES, SIDE, SIDE, SIDE, SIDE, SIDE)
component.setData(code.encode(), QUrl("file:///list.qml"))
start, begun = cpu(), time.monotonic()
window = component.create()
if window is None:
    sys.exit(component.errorString())
window.overChanged.connect(app.quit)
QTimer.singleShot(180_000, lambda: app.exit(1))
status = app.exec()
print(json.dumps({
    "name": "Qt Quick Image", "cpu_seconds": round(cpu() - start, 3),
    "seconds": round(time.monotonic() - begun, 2), "peak_mb": round(megabytes("VmHWM"), 1),
    "end_mb": round(megabytes("VmRSS"), 1), "screens": window.property("screens"),
}), flush=True)
os._exit(status)
