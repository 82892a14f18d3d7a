"""The first picture of a Qt Quick Image out of Qt's disk cache, without a window: start_qt.py URL CACHE-FOLDER."""
import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_QUICK_BACKEND", "software")

from PySide6.QtCore import QTimer, QUrl  # noqa: E402
from PySide6.QtGui import QGuiApplication  # noqa: E402
from PySide6.QtNetwork import QNetworkAccessManager, QNetworkDiskCache  # noqa: E402
from PySide6.QtQml import QQmlComponent, QQmlEngine, QQmlNetworkAccessManagerFactory  # noqa: E402


class Caching(QQmlNetworkAccessManagerFactory):
    def create(self, parent):
        manager = QNetworkAccessManager(parent)
        cache = QNetworkDiskCache(manager)
        cache.setCacheDirectory(sys.argv[2])
        manager.setCache(cache)
        return manager


app = QGuiApplication(sys.argv[:1])
factory = Caching()
engine = QQmlEngine()
engine.setNetworkAccessManagerFactory(factory)
component = QQmlComponent(engine)
component.setData(
    b'import QtQuick\nImage { asynchronous: true; sourceSize: Qt.size(256, 256); source: "%s" }' % sys.argv[1].encode(),
    QUrl("file:///start.qml"))
image = component.create()
code = 1


def look():
    global code
    if image.property("status") in (1, 3):
        code = 0 if image.property("status") == 1 else 1
        print(image.property("implicitWidth"))
        app.quit()


timer = QTimer()
timer.timeout.connect(look)
image.statusChanged.connect(look)
timer.start(1)
app.exec()
os._exit(code)
