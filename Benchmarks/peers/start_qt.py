"""The first picture of a Qt Quick Image, without a window: start_qt.py FILE. Qt keeps no pictures on disk unasked."""
import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_QUICK_BACKEND", "software")

from PySide6.QtCore import QTimer, QUrl  # noqa: E402
from PySide6.QtGui import QGuiApplication  # noqa: E402
from PySide6.QtQml import QQmlComponent, QQmlEngine  # noqa: E402

app = QGuiApplication(sys.argv[:1])
engine = QQmlEngine()
component = QQmlComponent(engine)
QML = b'''
import QtQuick
Image { asynchronous: true; sourceSize: Qt.size(256, 256); property int end: status; source: "%s" }
'''
component.setData(QML % QUrl.fromLocalFile(sys.argv[1]).toEncoded().data(), QUrl("file:///start.qml"))
image = component.create()
code = 1


def look():
    global code
    if image.property("end") in (1, 3):
        code = 0 if image.property("end") == 1 else 1
        print(image.property("implicitWidth"))
        app.quit()


timer = QTimer()
timer.timeout.connect(look)
image.endChanged.connect(look)
timer.start(1)
app.exec()
os._exit(code)
